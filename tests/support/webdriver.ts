// Pages of a browser that speaks WebDriver, whatever carries its commands.

/** What a page can be asked in every engine. Playwright's pages are such pages too. */
export interface EnginePage {
  /** Runs an expression; a promise is waited for. What comes back has crossed as JSON. */
  evaluate(expression: string): Promise<unknown>;
  goto(url: string): Promise<unknown>;
  reload(): Promise<unknown>;
  close(): Promise<void>;
}

export interface WebDriver {
  /** The window that the next command is for. */
  window(): Promise<string>;
  newWindow(): Promise<string>;
  /** Makes a window the one that the next commands are for. */
  switchTo(handle: string): Promise<unknown>;
  navigate(url: string): Promise<unknown>;
  refresh(): Promise<unknown>;
  /** Runs the body of a function. */
  script(body: string, args: readonly unknown[]): Promise<unknown>;
  closeWindow(): Promise<unknown>;
}

/** How often a page is asked whether it is done. Pages work side by side meanwhile, which WebDriver alone does not allow. */
const pollMs = 15;
const maxMs = 30_000;

/** Gives a function that opens windows. Commands of several windows take turns. */
export async function pagesOf(driver: WebDriver): Promise<() => Promise<EnginePage>> {
  // It stays open, since windows are opened from one that is.
  const first = await driver.window();
  let turn: Promise<unknown> = Promise.resolve();
  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    const done = turn.then(work);
    turn = done.catch(() => {});
    return done;
  };
  return async () => {
    const handle = await alone(async () => {
      await driver.switchTo(first);
      return driver.newWindow();
    });
    const here = <T>(work: () => Promise<T>) =>
      alone(async () => {
        await driver.switchTo(handle);
        return work();
      });
    /** A driver may say that it has arrived when the empty page of a new window has. */
    const arrived = async (condition: string, url = "") => {
      for (let left = maxMs; left > 0; left -= pollMs) {
        if (await here(() => driver.script(`return document.readyState === "complete" && (${condition});`, [url]))) return;
        await new Promise((again) => setTimeout(again, pollMs));
      }
      throw new Error(`The page never came: ${url}`);
    };
    let asked = 0;
    return {
      async goto(url) {
        await here(() => driver.navigate(url));
        await arrived("location.href.startsWith(arguments[0])", url);
      },
      async reload() {
        await here(() => driver.script("window.__left = true;", []));
        await here(() => driver.refresh());
        await arrived("!window.__left");
      },
      close: async () => void (await here(() => driver.closeWindow())),
      async evaluate(expression) {
        const key = `__asked${asked++}`;
        // It is not begun again: the first time may have done half of it.
        if (!(await here(() => driver.script(begin, [key, expression]))))
          throw new Error("The page was replaced as it was asked.");
        for (;;) {
          const answer = (await here(() => driver.script(look, [key]))) as readonly [failed: boolean, text: string | null] | null;
          if (answer) return told(answer);
          await new Promise((again) => setTimeout(again, pollMs));
        }
      },
    };
  };
}

/** An element of the page runs it, so that it imports as the page's own code does. */
const begin = `
  const [key, expression] = arguments;
  const asked = window[key] = {};
  const fail = (error) => { asked.end = [true, String(error?.stack ? error + "\\n" + error.stack : error)]; };
  asked.work = (work) => Promise.resolve().then(work).then((value) => { asked.end = [false, JSON.stringify(value) ?? null]; }).catch(fail);
  const script = document.createElement("script");
  script.textContent = "window." + key + ".work(() => (" + expression + "))";
  // Text that is no JavaScript is told at once.
  const broken = ({ error, message }) => fail(error ?? message);
  addEventListener("error", broken);
  document.documentElement.append(script);
  script.remove();
  removeEventListener("error", broken);
  return true;
`;

const look = `
  const asked = window[arguments[0]];
  return asked ? asked.end ?? null : [true, "The page was replaced before it had answered."];
`;

function told([failed, text]: readonly [failed: boolean, text: string | null]): unknown {
  if (failed) throw new Error(text ?? "it failed");
  return text === null ? undefined : JSON.parse(text);
}
