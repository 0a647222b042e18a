// Credentials that sandboxed code names and never has: put into a header when it is sent, and struck out of what comes back.
import { encodeUtf8 } from "../../src/values/utf8.js";
import { allowedUrl } from "./hosts.js";

type Secrets = Readonly<Record<string, string>>;
type NamedHosts = Readonly<Record<string, readonly string[]>>;

/** The header as it is sent: `{{NAME}}` stands for a credential, which is for some hosts alone. */
export function filled(value: string, url: string, named: NamedHosts, secrets: Secrets): string {
  return value.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const hosts = Object.hasOwn(named, name) ? named[name] : undefined;
    if (!hosts) throw new Error(`no credential "${name}" is granted`);
    if (!isAllowed(url, hosts)) throw new Error(`the credential "${name}" is for ${hosts.join(", ")} alone`);
    const secret = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
    if (secret === undefined) throw new Error(`this call was given no credential "${name}"`);
    return secret;
  });
}

function isAllowed(url: string, hosts: readonly string[]): boolean {
  try {
    return Boolean(allowedUrl(url, hosts));
  } catch {
    return false;
  }
}

/** Without the secrets of the call, in the forms in which a server may say them again. The core strikes what the call says in the end. */
export function struck(text: string, secrets: Secrets): string {
  const forms = Object.values(secrets).flatMap((secret) => {
    const quoted = jsonEscaped(secret);
    return [secret, quoted, jsonEscaped(quoted), encodeURIComponent(secret), base64(secret)];
  });
  forms.sort((a, b) => b.length - a.length);
  return forms.reduce((text, form) => text.replaceAll(form, "[redacted]"), text);
}

const jsonEscaped = (text: string) => JSON.stringify(text).slice(1, -1);
/** Without the signs that fill it up, which may be left out. */
const base64 = (text: string) => btoa(String.fromCharCode(...encodeUtf8(text))).replace(/=+$/, "");
