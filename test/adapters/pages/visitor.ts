// A person at a browser without scripts, for tests of the pages: it keeps cookies by their path,
// follows redirects, and sends the forms that a page has. The small world serves the pages.
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { createHttpServer, type HttpOptions } from '../../../adapters/http/server.js';
import { hostedPages, type PagesOptions } from '../../../adapters/pages/hosted-pages.js';
import type { Tenant } from '../../../core/domain/base/tenant.js';
import type { Settings } from '../../../core/ports/deps.js';
import { type PageWatch, pageWatch } from '../../../core/usecases/hosted/page-watch.js';
import type { IntentFields } from '../../support/scenes/made-payments.js';
import { buyerSubject, startSession } from '../../support/scenes/started-session.js';
import { openWorld, type World, type WorldOptions } from '../../support/scenes/test-world.js';
import type { SuiteEnd } from '../../support/suite-end.js';

export interface PageSite {
  readonly world: World;
  readonly origin: string;
  readonly tenant: Tenant;
  readonly watch: PageWatch;
  visitor(options?: VisitorOptions): Visitor;
  /** The id and the path of a new payment. */
  newPayment(fields?: IntentFields): Promise<{ readonly id: string; readonly path: string }>;
  /** The text of the newest mail, once the mails were sent; mails about the team aside. */
  newestMail(): Promise<string>;
  /** The link of that mail that has a token. */
  newestLink(): Promise<string>;
  /** The six digits of that mail. */
  newestCode(): Promise<string>;
  close(): Promise<void>;
}

/** The link of a mail that has a token. */
export function linkIn(mail: string): string {
  return /https?:\/\/\S+\?token=[\w-]+/.exec(mail)?.[0] ?? assert.fail(`no link: ${mail}`);
}

/** A visitor who opened this page and signed in by the link of its mail. */
export async function signedInByMail(site: PageSite, path: string): Promise<Visitor> {
  const visitor = site.visitor();
  await visitor.open(path);
  await visitor.send('/link');
  await visitor.open(await site.newestLink());
  await visitor.send('/enter');
  return visitor;
}

/** A browser in which the buyer of a payment is signed in. */
export async function signedInBuyer(
  site: PageSite,
  paymentId: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Visitor> {
  const { token } = await startSession(site.world.deps, buyerSubject(site.tenant, paymentId));
  return site.visitor({ headers: { cookie: `ponte-session=${token}`, ...headers } });
}

export interface VisitorOptions {
  readonly language?: string;
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A browser that blocks cookies. */
  readonly refusesCookies?: true;
}

export interface Shown {
  readonly status: number;
  readonly path: string;
  readonly headers: Headers;
  readonly text: string;
  /** What a person reads of it. */
  readonly words: string;
  /** The heading of the page. */
  readonly heading: string;
}

/** Closed at the end of the test. */
export async function pageSite(
  t: SuiteEnd,
  options: WorldOptions = {},
  pages: Partial<PagesOptions> = {},
  http: Partial<HttpOptions> = {},
): Promise<PageSite> {
  const made = await openPageSite(options, pages, http);
  t.after(made.close);
  return made;
}

export async function openPageSite(
  { settings = {}, ...rest }: WorldOptions = {},
  pages: Partial<PagesOptions> = {},
  http: Partial<HttpOptions> = {},
): Promise<PageSite> {
  const here = 'http://pages.test';
  const addresses: Partial<Settings> = { baseUrl: here, payUrl: here, ...settings };
  const world = await openWorld({ settings: addresses, ...rest });
  const watch = pageWatch(world.deps, () => () => undefined);
  const server = createHttpServer(world.deps, {
    corsOrigins: [],
    feedReaders: world.feedReaders,
    readiness: async () => ({
      version: '1.0.0+development',
      database: true,
      migrations: true,
      worker: true,
      clock: true,
      serving: true,
    }),
    pages: hostedPages({ watch, mailbox: null, settings: world.deps.settings, ...pages }),
    ...http,
  });
  const { port }: AddressInfo = await server.listen('127.0.0.1', 0);
  const tenant = await world.newTenant();
  const newestMail = async () => {
    await world.settle();
    const isOther = (text: string) => !text.includes('Your team was changed');
    return world.mails.findLast(({ text }) => isOther(text))?.text ?? '';
  };
  return {
    world,
    origin: `http://127.0.0.1:${port}`,
    tenant,
    watch,
    visitor: (visitorOptions = {}) => new Visitor(`http://127.0.0.1:${port}`, visitorOptions),
    async newPayment(fields = {}) {
      const id = await world.newPayment(tenant, fields);
      const payment = await world.payment(id);
      return { id, path: `/r/${payment?.publicId}` };
    },
    newestMail,
    newestLink: async () => linkIn(await newestMail()),
    newestCode: async () => /\b\d{6}\b/.exec(await newestMail())?.[0] ?? '',
    close: async () => {
      await server.close(0);
      await world.close();
    },
  };
}

const REDIRECTS_MAX = 5;

interface KeptCookie {
  readonly name: string;
  readonly path: string;
  readonly value: string;
}

/** By name and path, as browsers keep them. */
type Cookies = Map<string, KeptCookie>;

export class Visitor {
  readonly #origin: string;
  readonly #options: VisitorOptions;
  readonly #cookies: Cookies;
  /** The page that is open. */
  shown: Shown | null = null;

  constructor(origin: string, options: VisitorOptions = {}, cookies: Cookies = new Map()) {
    this.#origin = origin;
    this.#options = options;
    this.#cookies = cookies;
  }

  /** Another tab, whose requests a balancer sends to another host. */
  at(origin: string): Visitor {
    return new Visitor(origin, this.#options, this.#cookies);
  }

  /** A browser that has the same cookies now, and keeps them. */
  copy(): Visitor {
    return new Visitor(this.#origin, this.#options, new Map(this.#cookies));
  }

  /** Another tab of the same session, with the page that is open. */
  tab(): Visitor {
    const tab = this.copy();
    tab.shown = this.shown;
    return tab;
  }

  /** The words of the page that is open. */
  get words(): string {
    return this.shown?.words ?? '';
  }

  /** The token of the forms of the page that is open. */
  get csrf(): string {
    const tokens = formsOf(this.shown?.text ?? '').map(({ hidden }) => hidden['csrf']);
    return tokens.find((token) => token !== undefined) ?? '';
  }

  /** Opens a path or a link of a mail. */
  open(target: string): Promise<Shown> {
    const url = new URL(target, this.#origin);
    return this.#follow('GET', `${url.pathname}${url.search}`);
  }

  /** Sends the first form of the open page whose action ends like this, with its hidden fields. */
  async send(action: string, fields: Readonly<Record<string, string>> = {}): Promise<Shown> {
    assert.ok(this.shown !== null, 'a page is open');
    const form = formsOf(this.shown.text).find((one) => one.action.endsWith(action));
    assert.ok(form !== undefined, `the page has a form for ${action}: ${this.shown.heading}`);
    const sent = { ...form.hidden, ...fields };
    return form.takesFiles ? this.#sendFile(form, sent) : this.post(form.action, sent);
  }

  /** Sends a file by the form of the open page whose action ends like this. */
  async upload(
    action: string,
    bytes: Uint8Array<ArrayBuffer>,
    type: string,
    fields: Readonly<Record<string, string>> = {},
    name = 'photo',
  ): Promise<Shown> {
    assert.ok(this.shown !== null, 'a page is open');
    const form = formsOf(this.shown.text).find((one) => one.action.endsWith(action));
    assert.ok(form !== undefined, `the page has a form for ${action}: ${this.shown.heading}`);
    return this.#sendFile(form, { ...form.hidden, ...fields }, new File([bytes], name, { type }));
  }

  /** Without a file, as a browser does where none was chosen. */
  #sendFile(
    { action }: Form,
    fields: Readonly<Record<string, string>>,
    file = new File([], '', { type: 'application/octet-stream' }),
  ): Promise<Shown> {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    body.set('file', file);
    return this.#follow('POST', action, body);
  }

  post(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Shown> {
    return this.#follow('POST', path, new URLSearchParams(fields).toString(), headers);
  }

  /** One request, without following its redirect. */
  async request(
    method: string,
    path: string,
    body?: string | FormData,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const form = 'application/x-www-form-urlencoded';
    const response = await fetch(`${this.#origin}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        cookie: this.cookiesFor(path),
        ...(this.#options.language === undefined
          ? {}
          : { 'accept-language': this.#options.language }),
        ...(typeof body === 'string' ? { 'content-type': form } : {}),
        ...this.#options.headers,
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    for (const cookie of response.headers.getSetCookie()) this.#keep(cookie);
    return response;
  }

  hasCookie(name: string): boolean {
    return [...this.#cookies.values()].some((one) => one.name === name && one.value !== '');
  }

  async #follow(
    method: string,
    first: string,
    body?: string | FormData,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Shown> {
    let [path, response] = [first, await this.request(method, first, body, headers)];
    for (let hops = 0; response.status === 303; hops += 1) {
      assert.ok(hops < REDIRECTS_MAX, `${first} redirects without end`);
      const next = new URL(response.headers.get('location') ?? '', `${this.#origin}${path}`);
      path = `${next.pathname}${next.search}`;
      await response.text();
      response = await this.request('GET', path);
    }
    const text = await response.text();
    const heading = textOf(/<h1[^>]*>(.*?)<\/h1>/s.exec(text)?.[1] ?? '');
    const { status, headers: received } = response;
    this.shown = { status, path, headers: received, text, words: textOf(text), heading };
    return this.shown;
  }

  /** The header of a request to this path. */
  cookiesFor(target: string): string {
    const [path = ''] = target.split('?', 1);
    const fit = [...this.#cookies.values()].filter(
      (cookie) =>
        cookie.value !== '' && (path === cookie.path || path.startsWith(slashed(cookie.path))),
    );
    const longestFirst = fit.toSorted((one, other) => other.path.length - one.path.length);
    return longestFirst.map(({ name, value }) => `${name}=${value}`).join('; ');
  }

  #keep(cookie: string): void {
    if (this.#options.refusesCookies) return;
    const [pair = '', ...attributes] = cookie.split('; ');
    const equals = pair.indexOf('=');
    const path = attributes.find((one) => one.startsWith('Path='))?.slice(5) ?? '/';
    const name = pair.slice(0, equals);
    this.#cookies.set(`${name} ${path}`, { name, path, value: pair.slice(equals + 1) });
  }
}

interface Form {
  readonly action: string;
  readonly hidden: Readonly<Record<string, string>>;
  readonly takesFiles: boolean;
}

/** Without the search that every page of a shell has. */
export function formsOf(text: string): readonly Form[] {
  const forms = text.matchAll(/<form(?! class="find")([^>]*)>(.*?)<\/form>/gs);
  return [...forms].map(([, head = '', body = '']) => ({
    action: attribute(head, 'action'),
    takesFiles: attribute(head, 'enctype') === 'multipart/form-data',
    hidden: Object.fromEntries(
      [...body.matchAll(/<input([^>]*)\/?>/g)]
        .map(([, input = '']) => input)
        .filter((input) => attribute(input, 'type') === 'hidden')
        .map((input) => [attribute(input, 'name'), attribute(input, 'value')]),
    ),
  }));
}

/** The hidden fields of the first form whose action ends like this. */
export function hiddenOf(text: string, action: string): Readonly<Record<string, string>> {
  return formsOf(text).find((form) => form.action.endsWith(action))?.hidden ?? {};
}

/** The words of markup. */
export function textOf(markup: string): string {
  const plain = markup
    .replaceAll(/<wbr[^>]*>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');
  return unescaped(plain).replaceAll('\u00a0', ' ').trim();
}

function attribute(markup: string, name: string): string {
  return unescaped(new RegExp(`\\b${name}="([^"]*)"`).exec(markup)?.[1] ?? '');
}

function unescaped(text: string): string {
  const entities = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' } as const;
  return text.replaceAll(/&(lt|gt|quot|#39|amp);/g, (_, name: keyof typeof entities) => {
    return entities[name];
  });
}

function slashed(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}
