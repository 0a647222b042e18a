// A film of a page: what Chromium draws of it, in a window with a pointer, as an animated WebP.
import type { Browser, BrowserContext, CDPSession, Locator, Page } from "playwright-core";

/** What is used of sharp, which only `npm run pictures` installs. */
export type Sharp = (input: Buffer | Buffer[], options?: object) => SharpImage;
interface SharpImage {
  composite(layers: readonly Layer[]): SharpImage;
  removeAlpha(): SharpImage;
  png(options?: object): SharpImage;
  webp(options?: object): SharpImage;
  toBuffer(): Promise<Buffer>;
}
interface Layer {
  readonly input: Buffer;
  readonly left: number;
  readonly top: number;
}

/** Frames are this far apart, in milliseconds, and as good as this, of 100. Where all of the page moves, a film takes less. */
const usual = { every: 70, quality: 80 };
/** No film is longer, in milliseconds: what a busy machine films slowly is shown faster. */
const longest = 10_000;
export const scale = 1.5;
const bar = 34;
const foot = 38;

export interface Size {
  readonly width: number;
  readonly height: number;
}

interface Moment {
  readonly at: number;
  readonly caption: string;
  /** What is in the window in place of the page. */
  readonly gone: string | undefined;
}

/** The window that is filmed. What a person does in it is seen, and so is a tab that crashes. */
export class Stage {
  page!: Page;
  private session: CDPSession | undefined;
  private readonly frames: { readonly at: number; readonly png: Buffer }[] = [];
  private readonly moments: Moment[] = [];
  private readonly pointer: { readonly at: number; readonly x: number; readonly y: number; readonly down: boolean }[] = [];
  private readonly cuts: { readonly from: number; readonly to: number }[] = [];
  private still: number | undefined;

  private constructor(
    private readonly context: BrowserContext,
    private readonly url: string,
    private readonly size: Size,
  ) {}

  static async open(browser: Browser, url: string, size: Size): Promise<Stage> {
    const viewport = { width: size.width, height: size.height - bar - foot };
    const context = await browser.newContext({ viewport, deviceScaleFactor: scale, locale: "en-GB" });
    return new Stage(context, url, size);
  }

  /** Opens the page in a new tab; the film goes on when `there` is drawn. */
  async load(there: (page: Page) => Promise<unknown>): Promise<void> {
    const from = Date.now();
    this.page = await this.context.newPage();
    await this.page.goto(this.url);
    await there(this.page);
    // What is loaded when it is first shown.
    await this.page.waitForTimeout(800);
    this.cuts.push({ from, to: Date.now() });
    this.moments.push({ at: Date.now(), caption: this.moments.at(-1)?.caption ?? "", gone: undefined });
    const session = await this.context.newCDPSession(this.page);
    session.on("Page.screencastFrame", ({ data, sessionId, metadata }) => {
      this.frames.push({ at: (metadata.timestamp ?? 0) * 1_000, png: Buffer.from(data, "base64") });
      session.send("Page.screencastFrameAck", { sessionId }).catch(() => {});
    });
    await session.send("Page.startScreencast", { format: "png" });
    this.session = session;
    await this.page.waitForTimeout(100);
  }

  /** What stands below the window from now on. */
  say(caption: string): void {
    this.moments.push({ at: Date.now(), caption, gone: this.moments.at(-1)?.gone });
  }

  async wait(milliseconds: number): Promise<void> {
    await new Promise((later) => setTimeout(later, milliseconds));
  }

  /** The film is held here where it does not play. */
  poster(): void {
    this.still = Date.now();
  }

  async click(target: Locator): Promise<void> {
    await this.point(target);
    await this.page.mouse.down();
    this.mark(true);
    await this.wait(120);
    await this.page.mouse.up();
    this.mark(false);
  }

  async point(target: Locator): Promise<void> {
    const box = await target.boundingBox();
    if (!box) throw new Error("what is pointed at is not drawn");
    const from = this.pointer.at(-1) ?? { x: this.size.width * 0.7, y: this.size.height * 0.6 };
    const to = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    for (let step = 1; step <= 12; step++) {
      // Slower at both ends, as a hand moves.
      const part = (1 - Math.cos((Math.PI * step) / 12)) / 2;
      const [x, y] = [from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part];
      await this.page.mouse.move(x, y);
      this.pointer.push({ at: Date.now(), x, y, down: false });
      await this.wait(35);
    }
  }

  private mark(down: boolean): void {
    const { x = 0, y = 0 } = this.pointer.at(-1) ?? {};
    this.pointer.push({ at: Date.now(), x, y, down });
  }

  async type(target: Locator, text: string): Promise<void> {
    await this.click(target);
    for (const word of text.split(/(?<= )/)) {
      await this.page.keyboard.insertText(word);
      await this.wait(90);
    }
    await this.wait(200);
    await this.page.keyboard.press("Enter");
  }

  /** Kills the process of the page, without a word to what runs in it. */
  async crash(): Promise<void> {
    const dead = new Promise((resolve) => this.page.once("crash", resolve));
    this.session?.send("Page.crash").catch(() => {});
    await dead;
    this.goes("This tab has crashed");
  }

  async close(): Promise<void> {
    await this.session?.send("Page.stopScreencast");
    await this.page.close();
    this.goes("The tab is closed");
  }

  private goes(gone: string): void {
    this.moments.push({ at: Date.now(), caption: this.moments.at(-1)?.caption ?? "", gone });
  }

  /** The film, and what stands for it where it does not play. */
  async develop(sharp: Sharp, { every, quality } = usual): Promise<{ film: Buffer; still: Buffer; seconds: number }> {
    const end = Date.now();
    const sheet = await this.context.newPage();
    await sheet.setViewportSize(this.size);
    const windows = new Map<string, Buffer>();
    const windowOf = async ({ caption, gone }: Moment): Promise<Buffer> => {
      const key = JSON.stringify([caption, gone]);
      let png = windows.get(key);
      if (!png) {
        await sheet.setContent(drawn(caption, gone));
        png = await sheet.screenshot();
        windows.set(key, png);
      }
      return png;
    };
    const shots: { readonly key: string; readonly png: Buffer; delay: number }[] = [];
    let poster: Buffer | undefined;
    const pixels = (length: number) => Math.round(length * scale);
    for (let at = this.moments[0]?.at ?? end; at <= end; at += every) {
      if (this.cuts.some(({ from, to }) => at >= from && at < to)) continue;
      const moment = this.moments.findLast((one) => one.at <= at) ?? this.moments[0];
      const frame = this.frames.findLastIndex((one) => one.at <= at);
      const hand = this.pointer.findLast((one) => one.at <= at);
      if (!moment || frame < 0) continue;
      const key = JSON.stringify([moment.caption, moment.gone, moment.gone ? 0 : frame, hand]);
      const last = shots.at(-1);
      if (last?.key === key) last.delay += every;
      else {
        const layers: Layer[] = [];
        if (!moment.gone) layers.push({ input: this.frames[frame]?.png as Buffer, left: 0, top: pixels(bar) });
        if (hand && !moment.gone)
          layers.push({ input: arrow(hand.down), left: pixels(hand.x) - 2, top: pixels(hand.y + bar) - 2 });
        const png = await sharp(await windowOf(moment))
          .composite(layers)
          .removeAlpha()
          .png({ compressionLevel: 1 })
          .toBuffer();
        shots.push({ key, png, delay: every });
      }
      if (this.still && at <= this.still) poster = shots.at(-1)?.png;
    }
    await this.context.close();
    const taken = shots.reduce((sum, { delay }) => sum + delay, 0);
    const delay = shots.map((shot) => Math.round(shot.delay * Math.min(1, longest / taken)));
    const film = await sharp(
      shots.map(({ png }) => png),
      { join: { animated: true } },
    )
      .webp({ quality, effort: 4, minSize: true, mixed: true, delay, loop: 0 })
      .toBuffer();
    const still = await sharp(poster ?? (shots.at(-1)?.png as Buffer))
      .webp({ quality: 85 })
      .toBuffer();
    return { film, still, seconds: delay.reduce((sum, one) => sum + one, 0) / 1_000 };
  }
}

/** The window around the page. */
const drawn = (caption: string, gone: string | undefined): string => `<!doctype html><style>
  body { margin: 0; height: 100vh; display: grid; grid-template-rows: ${bar}px 1fr ${foot}px; font: 14px "Inter", "Noto Sans", sans-serif; background: #fff; color: #1c1f23 }
  header { display: flex; align-items: center; gap: 7px; padding: 0 12px; background: #e9ebee }
  i { width: 11px; height: 11px; border-radius: 50%; background: #c3c7cd }
  span { margin-left: 10px; padding: 3px 14px; border-radius: 99px; background: #fff; font-size: 12px; color: #555b63 }
  main { display: grid; place-items: center; background: ${gone ? "#f4f4f6" : "#fff"} }
  strong { font-size: 20px; font-weight: 600; color: #555b63 }
  footer { display: grid; place-items: center; background: #0f766e; color: #fff; font-weight: 500 }
</style><header><i></i><i></i><i></i><span>localhost:5173</span></header><main>${gone ? `<strong>${gone}</strong>` : ""}</main><footer>${caption}</footer>`;

const arrow = (down: boolean): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="34" height="34" viewBox="0 0 24 24"><path d="M2 2v15l4-3.6 2.5 6 3-1.300-2.500-5.800h5.500z" fill="${down ? "#0f766e" : "#111"}" stroke="#fff" stroke-width="1.300" stroke-linejoin="round"/></svg>`,
  );
