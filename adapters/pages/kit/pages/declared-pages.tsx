// The rows of declared pages, for any audience: of a view, of a list, of a form, and of a button
// that does something and leads to a page.
import type { ComponentChildren } from 'preact';
import { z } from 'zod';
import type { Mode } from '../../../../core/domain/base/tenant.js';
import { assert, expectFound, isCode } from '../../../../core/errors.js';
import { type ExportedOf, recordExport } from '../../../../core/usecases/service/audit-log.js';
import type { FieldError } from '../fields.js';
import type { PageNotice } from '../frame-view.js';
import {
  type PageAnswer,
  type PageAuth,
  type PageCall,
  type PageContext,
  type PageRoute,
  type PageRow,
  seeOther,
  withNotice,
} from '../page-route.js';
import { FormKey, formKey, newFormKey } from './form-key.js';
import {
  FieldForm,
  type Fields,
  type FormLook,
  readFields,
  type ShownFields,
  showFields,
  type TypedForm,
  typedForm,
  type Values,
} from './form-page.js';
import {
  type Given,
  givenIn,
  List,
  type ListFilters,
  type ListLook,
  type ReadCursor,
  searchIn,
} from './list-page.js';
import type { PageHeading } from './page-document.js';

/** Rows of a page of a list. */
export const PAGE_SIZE = 25;

export interface PageContent<P> extends PageHeading {
  /** Where the page is, of the places beside it; null on pages without them. */
  readonly place: P | null;
  readonly body: ComponentChildren;
  /** The mode of what it is about, on pages of both. */
  readonly mode?: Mode;
  /** The path of the event stream, below that of the pages. */
  readonly live?: string | undefined;
}

type Around<P> = Omit<PageContent<P>, 'body' | 'errors'>;
type RowOf<A extends PageAuth, F> = Pick<
  PageRow<A, F>,
  'method' | 'path' | 'form' | 'handler' | 'kind' | 'background' | 'formBytesMax'
> & { readonly limit?: PageRow<A, F>['limit'] };

/** What differs between audiences. `R` is what a row of theirs requires, `D` what forms do. */
interface Audience<A extends PageAuth, R, S, P> {
  /** The path of all their pages in the table. */
  readonly root: string;
  row<F>(access: R, row: RowOf<A, F>): PageRoute;
  sceneOf(context: PageContext, call: PageCall<A, unknown>): S;
  page(scene: S, content: PageContent<P>, status?: number): PageAnswer | Promise<PageAnswer>;
}

/** To which page a form leads, below the path of the pages, and what that page says. */
type Led<D> =
  | { readonly to: string; readonly done: D }
  | { readonly to: string; readonly notice: PageNotice };

/** Or what is wrong, which is said on the page that has the form. */
type Refusable<D> = Led<D> | { readonly problem: FieldError };

/** Or a page that is shown once. */
type Saved<S, P, D> = Refusable<D> | { readonly show: (scene: S) => PageContent<P> };

interface Found<Row> {
  readonly rows: readonly Row[];
  readonly next: string | number | null;
  readonly newer?: string | number | null;
}

interface Asked<F extends ListFilters, C> {
  readonly given: Given<F>;
  /** Null on the first page. */
  readonly before: C | null;
  /** In a list that goes both ways, the page before this row. */
  readonly after: C | null;
}

interface Sent<S, T, V> {
  readonly scene: S;
  readonly subject: T;
  readonly values: V;
  /** The one-time key of what the form makes; empty for a form that makes nothing. */
  readonly key: string;
}

/** `done` is shown once on the page. */
export function withDone(path: string, done: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}done=${done}`;
}

const noForm = z.object({});
/** The page is shown again, with what is wrong. */
const REFUSED = 422;

interface Declared<R> {
  /** Below the path of all pages. */
  readonly path: string;
  readonly access: R;
}

/** A page that is only read. `load` throws NotFound. */
interface DeclaredView<A extends PageAuth, R, S, P, T> extends Declared<R> {
  readonly load: (context: PageContext, call: PageCall<A, unknown>) => Promise<T>;
  readonly show: (scene: S, subject: T) => PageContent<P>;
}

interface DeclaredForm<A extends PageAuth, R, S, P, D, T, F extends Fields> extends Declared<R> {
  /** Path of the page that it belongs to. */
  readonly back: (subject: T) => string;
  /** Makes something that must exist once. */
  readonly isOnce?: true;
  /** NotFound. */
  readonly load: (context: PageContext, call: PageCall<A, unknown>) => Promise<T>;
  /** Where there is nothing to fill in: the path of the page that says why. */
  readonly elsewhere?: (subject: T) => string | null;
  readonly fields: (scene: S, subject: T) => F;
  /** What the form begins with. */
  readonly typed?: (subject: T) => TypedForm;
  readonly show: (scene: S, subject: T) => Around<P> & FormLook;
  readonly save: (
    context: PageContext,
    call: PageCall<A, unknown>,
    sent: Sent<S, T, Values<F>>,
  ) => Promise<Saved<S, P, D>>;
}

interface Button<A extends PageAuth, R, D, F>
  extends Declared<R>,
    Partial<Pick<RowOf<A, F>, 'form' | 'kind' | 'limit' | 'formBytesMax'>> {
  /** The page to go to, what is wrong, or an answer of its own, such as a file. */
  readonly run: (context: PageContext, call: PageCall<A, F>) => Promise<Refusable<D> | PageAnswer>;
}

/** Passes the pages of a long file on and counts their rows, also if the reader leaves early. */
type CountPages = <T>(
  pages: AsyncIterable<readonly T[]>,
) => AsyncGenerator<readonly T[], void, undefined>;

interface Exported {
  readonly of: ExportedOf;
  /** What was asked for, as a query. */
  readonly filter: string;
  /** Null for a long file: its pages are counted while they are sent. */
  readonly rows: number | null;
  readonly file: (count: CountPages) => PageAnswer | Promise<PageAnswer>;
}

interface ExportButton<A extends PageAuth, R, D, F>
  extends Omit<Button<A, R, D, F>, 'run' | 'limit'> {
  readonly run: (context: PageContext, call: PageCall<A, F>) => Promise<Exported | PageAnswer>;
}

async function* countedPages<T>(
  pages: AsyncIterable<readonly T[]>,
  record: (rows: number) => Promise<void>,
) {
  let rows = 0;
  try {
    for await (const page of pages) {
      rows += page.length;
      yield page;
    }
  } finally {
    await record(rows);
  }
}

/** Shows a page with a problem. */
type Shows<A extends PageAuth> = (
  context: PageContext,
  call: PageCall<A, unknown>,
  problem: FieldError,
) => Promise<PageAnswer>;

interface Filled<T> {
  readonly subject: T;
  readonly typed: TypedForm;
  readonly errors: readonly FieldError[];
}

export class DeclaredPages<
  A extends PageAuth,
  R,
  S extends { readonly view: { readonly path: string } },
  P,
  D extends string,
> {
  readonly #audience: Audience<A, R, S, P>;

  constructor(audience: Audience<A, R, S, P>) {
    this.#audience = audience;
  }

  view<T>(page: DeclaredView<A, R, S, P, T>): PageRoute {
    return this.#get(page, {}, async (context, call) => {
      const subject = await page.load(context, call);
      const scene = this.#audience.sceneOf(context, call);
      return this.#audience.page(scene, page.show(scene, subject));
    });
  }

  /** `read` finds a page of rows, and what the columns need besides; or what the query names. */
  list<One, F extends ListFilters, C, M extends object>(
    page: Declared<R> & {
      readonly filters: F;
      readonly cursor: ReadCursor<C>;
      /** The event stream of the newest page; earlier ones change little. */
      readonly live?: (context: PageContext, call: PageCall<A, unknown>) => Promise<string>;
      readonly read: (
        context: PageContext,
        call: PageCall<A, unknown>,
        asked: Asked<F, C>,
      ) => Promise<(M & Found<One>) | { readonly to: string }>;
      readonly show: (
        scene: S,
        found: M & Found<One>,
        asked: Asked<F, C>,
      ) => Around<P> & ListLook<One>;
    },
  ): PageRoute {
    const { filters } = page;
    return this.#get(page, { kind: 'list' }, async (context, call) => {
      const given = givenIn(filters, call.query);
      const before = page.cursor(call.query.get('before') ?? '');
      const after = before === null ? page.cursor(call.query.get('after') ?? '') : null;
      const asked = { given, before, after };
      // The version is read first, so that no change in between is lost.
      const isNewest = before === null && after === null;
      const live = isNewest ? await page.live?.(context, call) : undefined;
      const found = await page.read(context, call, asked);
      const scene = this.#audience.sceneOf(context, call);
      if ('to' in found) return seeOther(`${scene.view.path}${found.to}`);
      const { rows, next, newer = null } = found;
      const path = `${scene.view.path}${page.path}`;
      const isFirst = before === null && newer === null;
      const state = { path, filters, given, isFirst, rows, next, newer };
      const look = page.show(scene, found, asked);
      const body = <List look={look} list={state} />;
      const search = searchIn(look, state);
      return this.#audience.page(scene, { ...look, search, live, body });
    });
  }

  /** GET and POST of one path, and the buttons beside the form. */
  form<T, F extends Fields, B>(
    page: DeclaredForm<A, R, S, P, D, T, F>,
    buttons: readonly Button<A, R, D, B>[] = [],
  ): readonly PageRoute[] {
    const { isOnce, load, elsewhere = () => null, fields, save } = page;
    const audience = this.#audience;
    const empty = this.#get(page, { kind: 'form' }, async (context, call) => {
      const subject = await load(context, call);
      const scene = audience.sceneOf(context, call);
      const other = elsewhere(subject);
      if (other !== null) return seeOther(`${scene.view.path}${other}`);
      const typed = begun(page, context, subject);
      return this.#filled(page, call, scene, { subject, typed, errors: [] });
    });
    const sent = audience.row(page.access, {
      method: 'POST',
      kind: 'form',
      path: `${audience.root}${page.path}`,
      form: isOnce ? typedForm.and(z.object({ key: formKey })) : typedForm,
      handler: async (context, call) => {
        const typed: TypedForm = call.form;
        const subject = await load(context, call);
        const scene = audience.sceneOf(context, call);
        const other = elsewhere(subject);
        if (other !== null) return seeOther(`${scene.view.path}${other}`);
        const { values, errors } = readFields(fields(scene, subject), typed);
        const again = (problems: readonly FieldError[]) =>
          this.#filled(page, call, scene, { subject, typed, errors: problems });
        if (values === null) return again(errors);
        const given = { scene, subject, values, key: typed['key'] ?? '' };
        const saved = await save(context, call, given).catch((error): Led<D> => {
          if (!isOnce || !isCode(error, 'IdempotencyKeyConflict')) throw error;
          return { to: page.back(subject), notice: 'out_of_date' };
        });
        if ('problem' in saved) return again([saved.problem]);
        if ('show' in saved) return audience.page(scene, saved.show(scene));
        return this.#ledTo(scene, saved);
      },
    });
    const problem: Shows<A> = async (context, call, one) => {
      const subject = await load(context, call);
      const typed = begun(page, context, subject);
      const scene = audience.sceneOf(context, call);
      return this.#filled(page, call, scene, { subject, typed, errors: [one] });
    };
    return [empty, sent, ...this.#buttons(page, buttons, problem)];
  }

  /** A view with buttons, whose problems it shows. */
  withButtons<T, F>(
    page: DeclaredView<A, R, S, P, T>,
    buttons: readonly Button<A, R, D, F>[],
  ): readonly PageRoute[] {
    const answer: Shows<A> = async (context, call, problem) => {
      const subject = await page.load(context, call);
      const scene = this.#audience.sceneOf(context, call);
      return this.#audience.page(
        scene,
        { ...page.show(scene, subject), errors: [problem] },
        REFUSED,
      );
    };
    return [this.view(page), ...this.#buttons(page, buttons, answer)];
  }

  /** What the form of a button does, and where it leads. */
  action<F = unknown>(
    button: Button<A, R, D, F> & {
      readonly run: (context: PageContext, call: PageCall<A, F>) => Promise<Led<D> | PageAnswer>;
    },
  ): PageRoute {
    return this.#pressed(button, null);
  }

  /**
   * A file of many rows, which is about persons: a POST within the limit of exports. The audit log
   * has an entry before its first row is sent, and one with their count at the end of a long file.
   */
  export<F = unknown>({ run, ...button }: ExportButton<A, R, D, F>): PageRoute {
    return this.#pressed(
      {
        ...button,
        kind: 'export',
        limit: 'export',
        run: async (context, call) => {
          const found = await run(context, call);
          if (!('file' in found)) return found;
          const { of, filter, rows, file } = found;
          const record = (sent: number | null) =>
            recordExport(context.deps, of, { filter, rows: sent });
          await record(rows);
          return file((pages) => countedPages(pages, record));
        },
      },
      null,
    );
  }

  /** What is no page: a small file, an event stream, facts for the script. */
  file(
    { path, access, background }: Declared<R> & Pick<PageRow<A, unknown>, 'background'>,
    handler: (context: PageContext, call: PageCall<A, unknown>) => Promise<PageAnswer>,
  ): PageRoute {
    return this.#get({ path, access }, background ? { background } : {}, handler);
  }

  #buttons<T, F>(
    { path, access, load }: Pick<DeclaredView<A, R, S, P, T>, 'path' | 'access' | 'load'>,
    buttons: readonly Button<A, R, D, F>[],
    answer: Shows<A>,
  ): readonly PageRoute[] {
    return buttons.flatMap((button) => [
      this.#pressed(button, answer),
      // A link of its answer, such as that of a language, leads back to the page.
      this.#get({ path: button.path, access }, {}, async (context, call) => {
        await load(context, call);
        const { view } = this.#audience.sceneOf(context, call);
        return seeOther(`${view.path}/${pathIn(path, call)}`);
      }),
    ]);
  }

  #pressed<F>(
    { path, access, run, form = noForm as unknown as z.ZodType<F>, ...of }: Button<A, R, D, F>,
    answer: Shows<A> | null,
  ): PageRoute {
    return this.#audience.row<F>(access, {
      ...of,
      method: 'POST',
      path: `${this.#audience.root}${path}`,
      form,
      handler: async (context, call) => {
        const led = await run(context, call);
        if ('status' in led) return led;
        if (!('problem' in led)) return this.#ledTo(this.#audience.sceneOf(context, call), led);
        assert(answer !== null, 'only a page with buttons shows problems');
        return answer(context, call, led.problem);
      },
    });
  }

  #get(
    { path, access }: Declared<R>,
    of: Pick<PageRoute, 'kind' | 'background'>,
    handler: (context: PageContext, call: PageCall<A, unknown>) => Promise<PageAnswer>,
  ): PageRoute {
    const row = { method: 'GET', path: `${this.#audience.root}${path}`, form: 'none' } as const;
    return this.#audience.row(access, { ...row, ...of, handler });
  }

  /** The page of a form; 422 with what was typed if something of it is wrong. */
  #filled<T, F extends Fields>(
    { path, back, isOnce, fields, show }: DeclaredForm<A, R, S, P, D, T, F>,
    call: PageCall<A, unknown>,
    scene: S,
    { subject, typed, errors }: Filled<T>,
  ): PageAnswer | Promise<PageAnswer> {
    const look = show(scene, subject);
    const key: ShownFields = isOnce ? { key: <FormKey value={typed['key'] ?? ''} /> } : {};
    const shown = { ...key, ...showFields(fields(scene, subject), typed, errors) };
    const to = pathIn(path, call);
    const form = <FieldForm {...{ to, look, shown }} back={`${scene.view.path}${back(subject)}`} />;
    const body = look.around?.(form, shown) ?? form;
    const status = errors.length === 0 ? 200 : REFUSED;
    return this.#audience.page(scene, { ...look, errors, body }, status);
  }

  #ledTo({ view }: S, led: Led<D>): PageAnswer {
    const to = `${view.path}${led.to}`;
    return seeOther('done' in led ? withDone(to, led.done) : withNotice(to, led.notice));
  }
}

/** With the names of the call, below the path of all pages. */
function pathIn(path: string, { params }: Pick<PageCall<PageAuth, unknown>, 'params'>): string {
  return path.slice(1).replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
}

/** What a form begins with. */
function begun<T>(
  { typed, isOnce }: { typed?: (subject: T) => TypedForm; isOnce?: true },
  { deps }: PageContext,
  subject: T,
): TypedForm {
  return { ...typed?.(subject), ...(isOnce ? { key: newFormKey(deps) } : {}) };
}

/** The id that the path has. */
export function idIn({ params }: Pick<PageCall<PageAuth, unknown>, 'params'>, name: string) {
  return expectFound(params[name]);
}
