// PostgreSQL, for the tests of Rust that start it: Debian's is installed where it may be. Without it they are skipped, and say so.
import { existsSync, readdirSync } from "node:fs";
import { canInstall, installPackages } from "./debian.mjs";

/** Where Debian keeps its versions, as tests/it/native_postgres looks for them. */
const versions = "/usr/lib/postgresql";

const isInstalled = () =>
  existsSync(versions) && readdirSync(versions).some((version) => existsSync(`${versions}/${version}/bin/initdb`));

export async function postgres() {
  if (isInstalled()) return;
  if (canInstall()) {
    console.log("Installing PostgreSQL from Debian …");
    try {
      await installPackages(["postgresql"]);
      return;
    } catch (error) {
      console.log(String(error));
    }
  }
  console.log(`PostgreSQL is not installed (looked in ${versions}): its tests are skipped.`);
}
