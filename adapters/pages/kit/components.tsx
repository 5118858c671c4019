// The parts of which screens are made. They know the look and the markup that assistive technology
// needs; they decide nothing about payments.
import type { ComponentChildren, VNode } from 'preact';
import { formatInstant, HOUR_MS } from '../../../core/domain/base/instant.js';
import { type Locale, locales } from '../../../core/domain/base/locale.js';
import type { Money } from '../../../core/domain/base/money.js';
import { lettersOf } from '../../../core/domain/base/text-letters.js';
import { isLastDay, lastWholeDayMs } from './format.js';
import { Icon, type IconName } from './icons.js';
import { type PageFrame, useFrame } from './page-frame.js';
import { plainText } from './plain-text.js';

const NEAR_MS = 12 * HOUR_MS;

/**
 * `full` and `time` say UTC until the script writes the reader's zone; `day` is a day of UTC, and
 * `brasilia` a day in Brasília.
 */
export function Time({
  atMs,
  as = 'full',
}: Readonly<{ atMs: number; as?: 'full' | 'day' | 'time' | 'brasilia' }>) {
  const { format } = useFrame();
  const { instant: full, day, time, brasiliaDay: brasilia } = format;
  const write = { full, day, time, brasilia }[as];
  const isLocal = as === 'full' || as === 'time';
  return (
    <time dateTime={formatInstant(atMs)} data-local={isLocal ? as : undefined}>
      {write(atMs)}
    </time>
  );
}

/** Without its day if it is near. */
export function Moment({ atMs }: { readonly atMs: number }) {
  const { view } = useFrame();
  const isNear = Math.abs(atMs - view.nowMs) < NEAR_MS;
  return <Time atMs={atMs} as={isNear ? 'time' : 'full'} />;
}

/** By when money must arrive: a day, as banks promise days; on the last one the instant. */
export function Deadline({ atMs }: { readonly atMs: number }) {
  const { view } = useFrame();
  if (isLastDay(atMs, view.nowMs)) return <Time atMs={atMs} />;
  return <Time atMs={lastWholeDayMs(atMs)} as="day" />;
}

/** A day of the calendar, the same in every zone. */
export function Day({ day }: { readonly day: string }) {
  const { format } = useFrame();
  return <time dateTime={day}>{format.date(day)}</time>;
}

/** The one large thing on a screen; the code is smaller. */
export function Amount({ money }: { readonly money: Money }) {
  const { format } = useFrame();
  const pieces = format.money(money).split(/(?<=\u00a0)|(?=\u00a0)/);
  const shown = pieces.map((piece) =>
    piece.trim() === money.currency || piece.trim() === '' ? (
      <span class="iso">{piece}</span>
    ) : (
      piece
    ),
  );
  return <span class="amount">{shown}</span>;
}

/** A text of others, in a language and a direction that we do not know. */
export function Foreign({ text }: { readonly text: string }) {
  return (
    <span lang="" dir="auto">
      {plainText(text)}
    </span>
  );
}

/** Texts that are longer than this and their ending may be cut. */
const UNCUT_LENGTH = 8;
/** As the style sheet leaves room for. */
const endings = { reference: 6, url: 18 } as const;
/** Two halves of a text in these scripts would not be read in their order. */
const fromTheRight = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u;

/** A reference of others, in a column that may be too narrow: its end is always shown. */
export function Reference({
  text,
  of = 'reference',
}: Readonly<{ text: string; of?: keyof typeof endings }>) {
  const length = endings[of];
  const shown = lettersOf(plainText(text));
  if (shown.length <= length + UNCUT_LENGTH || fromTheRight.test(text))
    return <Foreign text={text} />;
  return (
    <span lang="" dir="auto" class={`ending ${of} notranslate`}>
      <span>{shown.slice(0, -length).join('')}</span>
      <span>{shown.slice(-length).join('')}</span>
    </span>
  );
}

/** A text of others, where there may be none. */
export function foreign(text: string | null) {
  return text === null ? null : <Foreign text={text} />;
}

/** Below what a cell says; nothing for null. */
export function Sub({ of }: { readonly of: ComponentChildren }) {
  return of === null ? null : <span class="sub">{of}</span>;
}

/** A name or URL that may break behind its signs. */
export function Breakable({ text }: { readonly text: string }) {
  return text.split(/(?<=[._/:@])/).map((piece, at) => [at === 0 ? null : <wbr />, piece]);
}

/** Shown by the script. `isNamed`: what is copied is not beside it. */
export function Copy({
  value,
  label,
  isNamed,
}: Readonly<{ value: string; label: string; isNamed?: true }>) {
  const { texts } = useFrame();
  return (
    <button class="copy" type="button" hidden data-copy={value}>
      <Icon name="copy" />
      <span>{isNamed ? `${texts.copy} ${label}` : texts.copy}</span>
      {isNamed ? null : <span class="vh"> {label}</span>}
    </button>
  );
}

export function Code({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <Scroll label={label}>
      <pre lang="" dir="auto">
        {text}
      </pre>
    </Scroll>
  );
}

/** Nothing stores the text: the answer to the form is the only page that has it. */
export function Secret({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div class="notranslate">
      <div class="secret">
        <code>{text}</code>
        <Copy value={text} label={label} />
      </div>
    </div>
  );
}

/** Not shown if its value is null. */
export interface FactRow {
  readonly label: ComponentChildren;
  readonly value: ComponentChildren;
  /** A line below the value. */
  readonly note?: ComponentChildren;
  /** What the copy button copies, and how it calls it. */
  readonly copy?: { readonly value: string; readonly label: string };
  readonly look?: 'sum' | 'digits' | 'code' | 'num';
}

/** `right`: amounts at the end of the line. `copy`: each row has an action. */
export function Rows({
  rows,
  look,
}: Readonly<{ rows: readonly (FactRow | null)[]; look?: 'right' | 'copy' }>) {
  const shown = rows.filter((row): row is FactRow => row !== null && row.value !== null);
  // An empty list would take room.
  if (shown.length === 0) return null;
  const kind = look === undefined ? '' : look === 'copy' ? ' copyrows' : ' right';
  return <dl class={`rows${kind}`}>{shown.map(rowOf)}</dl>;
}

function rowOf({ label, value, note, copy, look }: FactRow) {
  const group = look === 'sum' ? 'sum' : note !== undefined && copy !== undefined ? 'tall' : '';
  return (
    <div class={group || undefined}>
      <dt>{label}</dt>
      <dd class={look === 'sum' ? 'num' : look}>
        {value}
        {note === undefined ? null : <p>{note}</p>}
      </dd>
      {copy === undefined ? null : (
        <dd class="act">
          <Copy {...copy} />
        </dd>
      )}
    </div>
  );
}

/** Its label and its value; not shown if the value is null. */
export type Fact = readonly [label: string, value: ComponentChildren];

/** About one thing. `across`: side by side, where there is room. `answers`: to questions. */
export function Facts({
  facts,
  look = 'facts',
}: Readonly<{ facts: readonly Fact[]; look?: 'facts' | 'facts across' | 'answers card' }>) {
  return (
    <dl class={look}>
      {facts.map(([label, value]) =>
        value === null ? null : (
          <div>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

/** The id of what the page is about. */
export function OwnId({ id, label }: { readonly id: string; readonly label: string }) {
  return (
    <>
      <span class="code">{id}</span> <Copy value={id} label={label} />
    </>
  );
}

export function HowTo({ items }: { readonly items: readonly string[] }) {
  return (
    <ul class="howto">
      {items.map((item) => (
        <li>{item}</li>
      ))}
    </ul>
  );
}

/** What the buyer must copy exactly. */
export function Exact({
  rows,
}: {
  readonly rows: readonly {
    readonly label: string;
    readonly shown: string;
    /** Null where there is nothing to paste. */
    readonly copy: string | null;
  }[];
}) {
  return (
    <dl class="exact">
      {rows.map(({ label, shown, copy }) => (
        <div>
          <dt>{label}</dt>
          <dd class="digits notranslate">{shown}</dd>
          {copy === null ? null : (
            <dd class="act">
              <Copy value={copy} label={label} />
            </dd>
          )}
        </div>
      ))}
    </dl>
  );
}

/** An account number in groups, so that two can be compared. */
export function Digits({ text }: { readonly text: string }) {
  const groups = groupsOf(text);
  return <>{groups.length === 1 ? text : groups.map((group) => <span>{group}</span>)}</>;
}

function groupsOf(text: string): readonly string[] {
  if (!/^[0-9]{7,}$/.test(text) && !/^[A-Z]{2}[0-9]{2}[A-Z0-9]{8,}$/.test(text)) return [text];
  // Nine digits are a routing number.
  return text.match(text.length === 9 ? /.{3}/g : /.{1,4}/g) ?? [text];
}

export interface Stop {
  readonly name: string;
  readonly caption: ComponentChildren;
  /** `done`: the money has left it, or has reached its end; `here`: it is there. */
  readonly state: 'done' | 'here' | 'ahead';
}

/** Where the money is: solid where it has crossed, dashed where it has not. */
export function Route({ stops, wide }: { readonly stops: readonly Stop[]; readonly wide?: true }) {
  return (
    <ol class={wide ? 'route span' : 'route'}>
      {stops.map(({ name, caption, state }) => (
        <li class={state === 'ahead' ? undefined : state}>
          <b>{name}</b>
          <span>{caption}</span>
        </li>
      ))}
    </ol>
  );
}

/** How far it is: each stop with the time at which it was reached; null: not yet. */
export function Stations({
  stops,
  here,
  ahead,
}: {
  readonly stops: readonly (readonly [name: string, atMs: number | null])[];
  /** What the next stop says, and what those behind it say. */
  readonly here: ComponentChildren;
  readonly ahead: ComponentChildren;
}) {
  const { format } = useFrame();
  const last = stops.findLastIndex(([, atMs]) => atMs !== null);
  return (
    <ol class="card stations">
      {stops.map(([name, atMs], at) => (
        <li class={at <= last ? 'done' : at === last + 1 ? 'here' : undefined}>
          <b>{name}</b>
          <span>{atMs !== null ? format.short(atMs) : at === last + 1 ? here : ahead}</span>
        </li>
      ))}
    </ol>
  );
}

const noteIcons = {
  info: 'info',
  ok: 'ok',
  warn: 'warning',
  bad: 'alert',
} as const satisfies Readonly<Record<string, IconName>>;

/** One fact that changes what to do, in one paragraph or in `children`. */
export function Note({
  look = 'info',
  live,
  text,
  children = <p>{text}</p>,
}: {
  readonly look?: keyof typeof noteIcons;
  /** Read out when the page opens. */
  readonly live?: true;
  readonly text?: ComponentChildren;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class={`note ${look}`} role={live ? 'status' : undefined}>
      <Icon name={noteIcons[look]} />
      <div>{children}</div>
    </div>
  );
}

/** Word, shape and colour of a state; `look` names the shape (dashboard.css). */
export function Badge({ look, text, pill }: Readonly<{ look: string; text: string; pill?: true }>) {
  return (
    <span class={pill ? 'badge pill' : 'badge'} data-s={look}>
      {text}
    </span>
  );
}

/** `to`: below the path of the page, such as `link`; with a slash, below the root of all pages. */
const addressOf = ({ root, path }: PageFrame['view'], to: string) =>
  to.startsWith('/') ? `${root}${to}` : `${path}/${to}`;

/** A link that looks like a button; with `row` it is alone in its row. */
export function ButtonLink({
  row,
  look,
  icon,
  text,
  children = text,
  ...of
}: {
  readonly row?: true;
  readonly look?: 'primary' | 'danger' | 'sm' | 'sm danger' | 'sm primary';
  readonly icon?: IconName;
  readonly text?: ComponentChildren;
  readonly children?: ComponentChildren;
} & ({ readonly href: string } | { readonly to: string })) {
  const { view } = useFrame();
  const href = 'to' in of ? addressOf(view, of.to) : of.href;
  const link = (
    <a class={look === undefined ? 'btn' : `btn ${look}`} href={href}>
      {icon === undefined ? null : <Icon name={icon} />}
      {children}
    </a>
  );
  return row ? <div class="actions">{link}</div> : link;
}

interface ButtonProps {
  readonly look?: 'primary' | 'danger' | 'sm' | 'link' | undefined;
  readonly name?: string;
  readonly value?: string;
  readonly text?: ComponentChildren;
  readonly children?: ComponentChildren;
}

export function Button({ look, name, value, text, children = text }: ButtonProps) {
  const kind = look === 'link' ? 'aslink' : look === undefined ? 'btn' : `btn ${look}`;
  return (
    <button type="submit" class={kind} name={name} value={value}>
      {children}
    </button>
  );
}

/** The button of a form below its fields. */
export function Submit({
  plain,
  look = plain ? undefined : 'primary',
  beside,
  children,
}: Omit<ButtonProps, 'name' | 'value'> & Readonly<{ plain?: true; beside?: ComponentChildren }>) {
  return (
    <div class="actions">
      <Button look={look}>{children}</Button>
      {beside}
    </div>
  );
}

/** The browser makes a passkey, or uses one; its answer is the field `answer`. */
export interface PasskeyRequest {
  readonly kind: 'create' | 'get';
  /** Where its options are, below the root of all pages. */
  readonly options: string;
  /** What the script says without an answer. */
  readonly failed: string;
}

export interface FormProps {
  readonly to: string;
  readonly class?: string;
  /** For buttons elsewhere on the page. */
  readonly id?: string;
  readonly quoteId?: string;
  /** For files: the script sends them at once, or, if the answer is a page, a button does. */
  readonly files?: 'at_once' | 'by_button';
  /** The script submits it. */
  readonly auto?: boolean;
  /** After each change the script sends it as a `preview`, and shows the `data-part`s. */
  readonly preview?: true;
  /** The answer is a file: the page stays. */
  readonly download?: true;
  /** Needs the script, which shows it. */
  readonly passkey?: PasskeyRequest;
  readonly children?: ComponentChildren;
}

/** Every form has the token of the session and the version of what it was made for. */
export function Form(props: FormProps) {
  const { to, id, quoteId, files, auto, preview, passkey, children, class: className } = props;
  const { view, texts, formVersion: version } = useFrame();
  const hidden = { csrf: view.csrf, version, quoteId };
  return (
    <form
      id={id}
      method="post"
      action={addressOf(view, to)}
      class={className}
      encType={files ? 'multipart/form-data' : undefined}
      data-upload={files === 'at_once' ? texts.uploadFailed : undefined}
      data-auto={auto || undefined}
      data-preview={preview}
      data-download={props.download}
      hidden={passkey !== undefined}
      data-passkey={passkey?.kind}
      data-options={passkey && `${view.root}${passkey.options}`}
      data-failed={passkey?.failed}
    >
      {passkey === undefined ? null : <input type="hidden" name="answer" />}
      {Object.entries(hidden).map(([name, value]) =>
        value === null || value === undefined ? null : (
          <input type="hidden" name={name} value={value} />
        ),
      )}
      {children}
    </form>
  );
}

/** A form that is one button. `values`: what it sends. */
export function ButtonForm({
  look,
  values = {},
  text,
  children = text,
  ...form
}: FormProps & {
  readonly look?: ButtonProps['look'];
  readonly text?: ComponentChildren;
  readonly values?: Readonly<Record<string, string | number>>;
}) {
  return (
    <Form {...form}>
      {Object.entries(values).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <Button look={look}>{children}</Button>
    </Form>
  );
}

/** Reloads the page; without script it is the only way to see a change. */
export function CheckAgain() {
  const { view, texts } = useFrame();
  return <ButtonLink href={view.path} icon="again" text={texts.checkAgain} />;
}

/** Shown while the script watches for changes. */
export function LiveNote() {
  const { texts } = useFrame();
  return (
    <span hidden data-watching>
      {texts.live}
    </span>
  );
}

/** The button needs the script, which also prints at once after a link with `#print`. */
export function PrintActions({ inPlaceOfBack }: { readonly inPlaceOfBack?: VNode | null }) {
  const { view, texts } = useFrame();
  return (
    <div class="actions noprint">
      <button class="btn" type="button" hidden data-print>
        <Icon name="print" />
        {texts.print}
      </button>
      {inPlaceOfBack === undefined ? (
        <ButtonLink href={view.path}>{texts.back}</ButtonLink>
      ) : (
        inPlaceOfBack
      )}
      <noscript>{texts.printHow}</noscript>
    </div>
  );
}

/** What is wider than a small screen scrolls by itself, also by keyboard. */
export function Scroll({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it can be scrolled by keyboard
    <section class="scroll" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}

/** Each language in its own name. */
export const languageNames = {
  en: 'English',
  'pt-BR': 'Português',
  es: 'Español',
} as const satisfies Record<Locale, string>;

const noQuery = new URLSearchParams();

/** The same page in the other languages, with what its address has. */
export function Languages({ query = noQuery }: { readonly query?: URLSearchParams }) {
  const { view, texts } = useFrame();
  return (
    <nav class="langs" aria-label={texts.language}>
      <ul>
        {locales.map((locale) => (
          <li>
            {locale === view.locale ? (
              <span aria-current="true">{languageNames[locale]}</span>
            ) : (
              <a
                href={`?${new URLSearchParams([...query, ['lang', locale]])}`}
                lang={locale}
                hreflang={locale}
              >
                {languageNames[locale]}
              </a>
            )}
          </li>
        ))}
      </ul>
    </nav>
  );
}
