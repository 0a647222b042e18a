// What stands behind the fence of a block of code: its language, and the name of its file where it says one.

export interface CodeInfo {
  readonly language: string;
  readonly file?: string | undefined;
}

const named = /(?:^|[\s{,])(?:title|file|filename|name)=(?:"([^"]*)"|'([^']*)'|([^\s}]+))/i;
/** Ends like the name of a file, and is no number. */
const fileLike = /^(?!\d+\.\d+$)[^\s"'`{}<>|=]*[\w-]\.[a-z]\w{0,9}$/i;

/** `ts app.ts`, `ts title="app.ts"`, `ts:app.ts` or `app.ts`. */
export function readInfo(info: string): CodeInfo {
  const [first = "", second = ""] = info.trim().split(/\s+/, 2);
  const said = named.exec(info);
  const title = said?.[1] ?? said?.[2] ?? said?.[3];
  const [before = "", after] = first.split(/:(.+)/);
  const language = /^[\w+#.-]*/.exec(before)?.[0] ?? "";
  const file = title || (after && fileLike.test(after) ? after : fileLike.test(second) ? second : undefined);
  if (!after && fileLike.test(first)) return { language: first.slice(first.lastIndexOf(".") + 1), file: title || first };
  return { language, file };
}
