// The rows of a declared page of an organization: of a view, a list, a form, and of a button that
// does something and leads to a page.
import { z } from 'zod';
import { isCode, PonteError } from '../../../core/errors.js';
import type { FieldError } from '../kit/fields.js';
import type { PageNotice } from '../kit/frame-view.js';
import {
  type MemberRule,
  memberRow,
  type PageAnswer,
  type PageContext,
  type PageRoute,
  seeOther,
  withNotice,
} from '../kit/page-route.js';
import { FormKey, formKey, newFormKey } from '../kit/pages/form-key.js';
import {
  FieldForm,
  type Fields,
  type FormLook,
  readFields,
  type TypedForm,
  typedForm,
  type Values,
} from '../kit/pages/form-page.js';
import {
  type Given,
  givenIn,
  List,
  type ListFilters,
  type ListLook,
  type ReadCursor,
} from '../kit/pages/list-page.js';
import { type DashboardContent, dashboardPage } from './dashboard-layout.js';
import { type DashboardScene, type Done, sceneOf, viewOf, withDone } from './dashboard-scene.js';
import { type MemberCall, TENANT_ROOT } from './member-page.js';

/** Rows of a page of a list. */
export const PAGE_SIZE = 25;

interface Row {
  /** Below that of the mode. */
  readonly path: string;
  readonly access: MemberRule;
}

type Around = Omit<DashboardContent, 'body' | 'errors'>;

/** A page that is only read. `load` throws NotFound. */
export function memberView<S>(
  page: Row & {
    readonly load: (context: PageContext, call: MemberCall) => Promise<S>;
    readonly show: (scene: DashboardScene, subject: S) => DashboardContent;
  },
): PageRoute {
  return memberRow({
    ...page.access,
    method: 'GET',
    path: `${TENANT_ROOT}${page.path}`,
    form: 'none',
    async handler(context, call) {
      const subject = await page.load(context, call);
      return dashboardPage(viewOf(context, call), (scene) => page.show(scene, subject));
    },
  });
}

interface Found<R> {
  readonly rows: readonly R[];
  readonly next: string | number | null;
}

interface Asked<F extends ListFilters, C> {
  readonly given: Given<F>;
  /** Null on the first page. */
  readonly before: C | null;
}

/** `read` finds a page of the rows, and what the columns need besides; or what the query names. */
export function memberList<R, F extends ListFilters, C, M extends object>(
  page: Row & {
    readonly filters: F;
    readonly cursor: ReadCursor<C>;
    readonly read: (
      context: PageContext,
      call: MemberCall,
      asked: Asked<F, C>,
    ) => Promise<(M & Found<R>) | { readonly to: string }>;
    readonly show: (scene: DashboardScene, found: M) => Around & ListLook<R>;
  },
): PageRoute {
  const { filters } = page;
  return memberRow({
    ...page.access,
    method: 'GET',
    path: `${TENANT_ROOT}${page.path}`,
    form: 'none',
    async handler(context, call) {
      const given = givenIn(filters, call.query);
      const before = page.cursor(call.query.get('before') ?? '');
      const found = await page.read(context, call, { given, before });
      const view = viewOf(context, call);
      if ('to' in found) return seeOther(`${view.path}${found.to}`);
      const { rows, next } = found;
      const path = `${view.path}${page.path}`;
      const list = { path, filters, given, isFirst: before === null, rows, next };
      return dashboardPage(view, (scene) => {
        const look = page.show(scene, found);
        return { ...look, body: <List look={look} list={list} /> };
      });
    },
  });
}

/** To which page a form leads, below the path of the mode, and what that page says. */
type Led =
  | { readonly to: string; readonly done: Done }
  | { readonly to: string; readonly notice: PageNotice };

/** A form that was not taken, or whose answer is shown once. */
type Saved =
  | Led
  | { readonly problem: FieldError }
  | { readonly show: (scene: DashboardScene) => DashboardContent };

interface Sent<S, V> {
  readonly scene: DashboardScene;
  readonly subject: S;
  readonly values: V;
  /** The one-time key of what the form makes; empty for a form that makes nothing. */
  readonly key: string;
}

/** GET and POST of one path. */
export function memberForm<S, F extends Fields>(
  page: Row & {
    /** Where the page that it belongs to is. */
    readonly back: (subject: S) => string;
    /** Makes something that must exist once. */
    readonly isOnce?: true;
    /** NotFound. */
    readonly load: (context: PageContext, call: MemberCall) => Promise<S>;
    readonly fields: (scene: DashboardScene, subject: S) => F;
    /** What the form begins with. */
    readonly typed?: (subject: S) => TypedForm;
    readonly show: (scene: DashboardScene, subject: S) => Around & FormLook;
    readonly save: (
      context: PageContext,
      call: MemberCall,
      sent: Sent<S, Values<F>>,
    ) => Promise<Saved>;
  },
): readonly PageRoute[] {
  const { isOnce, load, fields, show, save } = page;
  const common = { ...page.access, path: `${TENANT_ROOT}${page.path}` };
  const answer = (
    context: PageContext,
    call: MemberCall,
    subject: S,
    typed: TypedForm,
    errors: readonly FieldError[],
  ): PageAnswer => {
    const key = typed['key'] ?? (isOnce ? newFormKey(context.deps) : '');
    const content = (scene: DashboardScene): DashboardContent => {
      const look = show(scene, subject);
      const form = { look, fields: fields(scene, subject), typed, errors };
      const back = `${scene.view.path}${page.back(subject)}`;
      const body = (
        <FieldForm {...form} to={pathIn(page.path, call)} back={back}>
          {isOnce ? <FormKey value={key} /> : null}
        </FieldForm>
      );
      return { ...look, errors, body };
    };
    return dashboardPage(viewOf(context, call), content, errors.length === 0 ? 200 : 422);
  };
  return [
    memberRow({
      ...common,
      method: 'GET',
      form: 'none',
      async handler(context, call) {
        const subject = await load(context, call);
        return answer(context, call, subject, page.typed?.(subject) ?? {}, []);
      },
    }),
    memberRow({
      ...common,
      method: 'POST',
      form: isOnce ? typedForm.and(z.object({ key: formKey })) : typedForm,
      async handler(context, call: MemberCall<TypedForm>) {
        const { form: typed } = call;
        const subject = await load(context, call);
        const scene = sceneOf(viewOf(context, call));
        const { values, errors } = readFields(fields(scene, subject), typed);
        if (values === null) return answer(context, call, subject, typed, errors);
        const sent = { scene, subject, values, key: typed['key'] ?? '' };
        const saved = await save(context, call, sent).catch((error): Led => {
          if (!isOnce || !isCode(error, 'IdempotencyKeyConflict')) throw error;
          return { to: page.back(subject), notice: 'out_of_date' };
        });
        if ('problem' in saved) return answer(context, call, subject, typed, [saved.problem]);
        if ('show' in saved) return dashboardPage(scene.view, saved.show);
        return ledTo(scene, saved);
      },
    }),
  ];
}

function ledTo({ view }: DashboardScene, led: Led): PageAnswer {
  const to = `${view.path}${led.to}`;
  return seeOther('done' in led ? withDone(to, led.done) : withNotice(to, led.notice));
}

const noForm = z.object({});

/** A button: what its form does, and where it leads. */
export function memberAction<F = unknown>(
  action: Row & {
    readonly form?: z.ZodType<F>;
    readonly run: (context: PageContext, call: MemberCall<F>) => Promise<Led>;
  },
): PageRoute {
  return memberRow<F>({
    ...action.access,
    method: 'POST',
    path: `${TENANT_ROOT}${action.path}`,
    form: action.form ?? (noForm as unknown as z.ZodType<F>),
    async handler(context, call) {
      const led = await action.run(context, call);
      return ledTo(sceneOf(viewOf(context, call)), led);
    },
  });
}

/** The path of a form below that of the mode, with the names of its page. */
function pathIn(path: string, { params }: MemberCall): string {
  return path.slice(1).replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
}

/** The id that the path has. */
export function idIn({ params }: MemberCall, name: string): string {
  const id = params[name];
  if (id === undefined) throw new PonteError('NotFound');
  return id;
}
