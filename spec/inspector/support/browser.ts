import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { HANG_MS } from '../../support/until.ts';

const PLACES = [process.env['LISTWATCH_CHROMIUM'] ?? '', '/usr/bin/chromium'];

/** The program; undefined where it is not installed. */
export const CHROMIUM: string | undefined = PLACES.find((path) => path !== '' && existsSync(path));

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface BrowserOptions {
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly colorScheme?: 'light' | 'dark' | undefined;
}

/** A headless Chromium with a profile of its own, and a page in it. What its console reports is kept. */
export class Browser implements AsyncDisposable {
  readonly page: Page;
  /** Errors and warnings of the console, and errors that were thrown. */
  readonly complaints: string[] = [];
  readonly #context: BrowserContext;
  readonly #profile: string;

  private constructor(context: BrowserContext, page: Page, profile: string) {
    this.#context = context;
    this.page = page;
    this.#profile = profile;
    page.setDefaultTimeout(HANG_MS);
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.complaints.push(message.text());
    });
    page.on('pageerror', (error) => {
      this.complaints.push(error.message);
    });
  }

  static async start(options: BrowserOptions = {}): Promise<Browser> {
    const { width = 1440, height = 900, colorScheme = 'light' } = options;
    const profile = mkdtempSync(join(tmpdir(), 'listwatch-chromium-'));
    const context = await chromium.launchPersistentContext(profile, {
      ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }),
      headless: true,
      args: ARGUMENTS,
      viewport: { width, height },
      colorScheme,
      timeout: HANG_MS,
    });
    const page = context.pages()[0] ?? (await context.newPage());
    return new Browser(context, page, profile);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#context.close();
    rmSync(this.#profile, { recursive: true, force: true });
  }
}
