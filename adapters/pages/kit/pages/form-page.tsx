// A form as data: its fields, how each is read, what is wrong with it, and how it is shown. From
// one declaration come the check of what was sent, the page, and the page again with its problems.
import type { ComponentChildren, VNode } from 'preact';
import { z } from 'zod';
import { isMisleading } from '../../../../core/domain/base/checked-text.js';
import { hasUnstorableText } from '../../../../core/domain/base/raw-json.js';
import { PonteError } from '../../../../core/errors.js';
import { Button, Form, Note } from '../components.js';
import {
  CheckField,
  ChecksField,
  type Choice,
  type FieldError,
  RadioField,
  SelectField,
  TextArea,
  TextField,
  type TextFieldProps,
} from '../fields.js';

/** What was sent: a text of each input, by its name. */
export const typedForm = z.record(z.string(), z.string());
export type TypedForm = Readonly<Record<string, string | undefined>>;

export interface DeclaredField<V> {
  /** ValidationError for what no page sends. */
  readonly read: (
    typed: TypedForm,
    name: string,
  ) => { readonly value: V } | { readonly problem: string };
  /** `inside`: the fields that it shows, by their names. */
  readonly show: (
    name: string,
    typed: TypedForm,
    error: string | undefined,
    inside: ShownFields,
  ) => VNode | null;
  /** The name of the field that shows it. */
  readonly within?: string;
  /** The id of its first control; by default its name. */
  readonly control?: string;
}

export type Fields = Readonly<Record<string, DeclaredField<unknown>>>;
export type Values<F extends Fields> = {
  readonly [N in keyof F]: F[N] extends DeclaredField<infer V> ? V : never;
};

type Labelled = Readonly<{ label: ComponentChildren; hint?: ComponentChildren }>;

type TextLook = Pick<
  TextFieldProps,
  'type' | 'width' | 'inputMode' | 'spellcheck' | 'autocomplete'
>;

interface TextAsked extends Labelled, TextLook {
  readonly max: number;
  /** Several lines. */
  readonly rows?: number;
  /** Why a text is not taken. */
  readonly problem: string | ((trimmed: string) => string);
}

/** Between fields: the words of those that follow. */
export const words = (shown: VNode): DeclaredField<null> => ({
  read: () => ({ value: null }),
  show: () => shown,
});

/** `read` gets the trimmed text; null if it is not taken. */
export function textAs<V>(
  of: TextAsked & { readonly read: (trimmed: string, typed: TypedForm) => V | null },
): DeclaredField<V> {
  const { max, rows, problem, read, ...look } = of;
  return {
    read(typed, name) {
      const given = (typed[name] ?? '').trim();
      const isWrong = rows === undefined ? isMisleading(given) : hasUnstorableText(given);
      const isTaken = given.length <= max && !isWrong;
      const value = isTaken ? read(given, typed) : null;
      if (value !== null) return { value };
      return { problem: typeof problem === 'string' ? problem : problem(given) };
    },
    show(name, { [name]: value }, error) {
      const props = { ...look, name, value, error, maxLength: max };
      return rows === undefined ? <TextField {...props} /> : <TextArea {...props} rows={rows} />;
    },
  };
}

/** Any text that is not blank. */
export function text(of: TextAsked): DeclaredField<string> {
  return textAs({ ...of, read: (given) => given || null });
}

type Texts<V extends string> = readonly { readonly value: V; readonly label: string }[];

/** One of several, or none of them. */
export function select<V extends string>(
  of: Labelled & { readonly choices: Texts<V>; readonly empty: string },
): DeclaredField<V | ''> {
  return {
    read: (typed, name) => ({ value: chosenOf(['', ...of.choices.map(ownValue)], typed[name]) }),
    show: (name, { [name]: value }, error) => (
      <SelectField {...of} {...{ name, value, error }} width="medium" />
    ),
  };
}

/** `holds`: the names of the fields within it that the choice needs. */
interface RadioChoice<V extends string> extends Omit<Choice, 'inside'> {
  readonly value: V;
  readonly holds?: readonly string[];
}

/** Exactly one of several. */
export function radio<V extends string>(
  of: Labelled & { readonly choices: readonly RadioChoice<V>[] },
): DeclaredField<V> {
  return {
    read: (typed, name) => ({ value: chosenOf(of.choices.map(ownValue), typed[name]) }),
    show(name, { [name]: value }, error, inside) {
      const choices = of.choices.map(({ holds = [], ...choice }) =>
        holds.length === 0 ? choice : { ...choice, inside: holds.map((held) => inside[held]) },
      );
      return <RadioField {...of} {...{ name, value, error, choices }} />;
    },
  };
}

const ownValue = <V extends string>({ value }: { readonly value: V }): V => value;

function chosenOf<V extends string>(choices: readonly V[], text = ''): V {
  const found = choices.find((value) => value === text);
  if (found === undefined) throw new PonteError('ValidationError');
  return found;
}

/** Which of these boxes are ticked; each is the name of its box. */
export function tickedOf<V extends string>(boxes: readonly V[], typed: TypedForm): readonly V[] {
  return boxes.filter((box) => typed[box] !== undefined);
}

/** At least one of several. */
export function checks<V extends string>(
  of: Labelled & {
    readonly choices: readonly (Choice & { readonly value: V })[];
    readonly problem: string;
  },
): DeclaredField<readonly V[]> {
  const { choices, problem, ...look } = of;
  const [first = ''] = choices.map(ownValue);
  const ticked = (typed: TypedForm) => tickedOf(choices.map(ownValue), typed);
  return {
    control: first,
    read: (typed) => (ticked(typed).length === 0 ? { problem } : { value: ticked(typed) }),
    show: (_, typed, error) => (
      <ChecksField {...look} {...{ name: first, choices, chosen: ticked(typed), error }} />
    ),
  };
}

/** A box to tick. */
export const tick = (of: Labelled): DeclaredField<boolean> => ({
  read: (typed, name) => ({ value: (typed[name] ?? '') !== '' }),
  show: (name, typed, error) => (
    <CheckField {...of} {...{ name, error }} checked={(typed[name] ?? '') !== ''} />
  ),
});

/** What the page was made for. */
export const hidden: DeclaredField<string> = {
  read: (typed, name) => ({ value: typed[name] ?? '' }),
  show: (name, { [name]: value }) => <input type="hidden" name={name} value={value} />,
};

/** The version of what the page showed. */
export const version: DeclaredField<number> = {
  ...hidden,
  read(typed, name) {
    if (!/^\d{1,9}$/.test(typed[name] ?? '')) throw new PonteError('ValidationError');
    return { value: Number(typed[name]) };
  },
};

/** All values, or what is wrong with them. */
export function readFields<F extends Fields>(
  fields: F,
  typed: TypedForm,
): { readonly values: Values<F> | null; readonly errors: readonly FieldError[] } {
  const values: Record<string, unknown> = {};
  const errors: FieldError[] = [];
  for (const [name, field] of Object.entries(fields)) {
    const found = field.read(typed, name);
    if ('value' in found) values[name] = found.value;
    else errors.push({ field: field.control ?? name, text: found.problem });
  }
  return { values: errors.length === 0 ? (values as Values<F>) : null, errors };
}

/** What a form shows, apart from its fields. */
export interface FormLook {
  readonly submit: string;
  /** Asks before something ends: what ends. */
  readonly warning?: ComponentChildren;
  /** The way back, in words. */
  readonly keep?: string;
  /** What stands around the form, or its fields in an order of their own. */
  readonly around?: (form: VNode, fields: ShownFields) => ComponentChildren;
}

/** By name; `key` is the one-time key of a form that has one. */
export type ShownFields = Readonly<Record<string, VNode | null>>;

export function showFields(
  fields: Fields,
  typed: TypedForm,
  errors: readonly FieldError[],
): ShownFields {
  const shownIn = (place: string | undefined): ShownFields => {
    const shown = Object.entries(fields).flatMap(([name, { show, control = name, within }]) => {
      if (within !== place) return [];
      const error = errors.find(({ field }) => field === control)?.text;
      return [[name, show(name, typed, error, shownIn(name))]];
    });
    return Object.fromEntries(shown);
  };
  return shownIn(undefined);
}

/** `to` and `back` are paths below the page. */
export function FieldForm({
  to,
  back,
  look: { submit, warning, keep },
  shown,
}: Readonly<{ to: string; back: string; look: FormLook; shown: ShownFields }>) {
  const buttons = (
    <>
      <Button look={warning === undefined ? 'primary' : 'danger'}>{submit}</Button>
      {keep === undefined ? null : <a href={back}>{keep}</a>}
    </>
  );
  if (warning === undefined) {
    return (
      <Form to={to} class="card stack">
        {Object.values(shown)}
        <div class="actions">{buttons}</div>
      </Form>
    );
  }
  return (
    <section class="card stack">
      <Note look="warn" text={warning} />
      <Form to={to} class="actions">
        {Object.values(shown)}
        {buttons}
      </Form>
    </section>
  );
}
