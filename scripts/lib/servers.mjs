// Servers and other programs that tests start: Debian's are installed where they may be. Without one, its tests are skipped, and say so.
import { existsSync, readdirSync } from "node:fs";
import { canInstall, installPackages } from "./debian.mjs";

/** Where Debian keeps the versions of PostgreSQL, as tests/it/native_postgres looks for them. */
const versions = "/usr/lib/postgresql";

const servers = [
  {
    name: "PostgreSQL",
    package: "postgresql",
    isThere: () =>
      existsSync(versions) && readdirSync(versions).some((version) => existsSync(`${versions}/${version}/bin/initdb`)),
  },
  { name: "Redis", package: "redis-server", isThere: () => existsSync("/usr/bin/redis-server") },
  { name: "nginx", package: "nginx-light", isThere: () => existsSync("/usr/sbin/nginx") },
  { name: "tmux", package: "tmux", isThere: () => existsSync("/usr/bin/tmux") },
];

export async function installServers() {
  const missing = () => servers.filter(({ isThere }) => !isThere());
  const names = (some) => some.map(({ name }) => name).join(" and ");
  if (missing().length && canInstall()) {
    console.log(`Installing ${names(missing())} from Debian …`);
    await installPackages(missing().map((server) => server.package)).catch((error) => console.log(String(error)));
  }
  if (missing().length) console.log(`Not installed: ${names(missing())}. Their tests are skipped.`);
}
