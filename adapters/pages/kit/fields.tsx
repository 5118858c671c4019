// Fields of forms: label, hint, error and control, tied together for assistive technology. An error
// is in the summary too, with a link to the field.
import type { AriaAttributes, ComponentChildren, VNode } from 'preact';
import { Icon } from './icons.js';
import { useFrame } from './page-frame.js';

interface FieldProps {
  /** Also the id of the control, or of the first one. */
  readonly name: string;
  readonly label: ComponentChildren;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
}

export interface TextFieldProps extends FieldProps {
  readonly value?: string | undefined;
  readonly autocomplete?: string;
  readonly type?: 'text' | 'tel' | 'url' | 'email' | 'date';
  readonly inputMode?: 'numeric' | 'decimal' | 'email';
  readonly maxLength?: number;
  readonly width?: 'short' | 'medium' | 'otp';
  readonly spellcheck?: false;
}

export function TextField(props: TextFieldProps) {
  const { name, value, autocomplete = 'off', type = 'text', inputMode, maxLength, width } = props;
  return (
    <div class="field">
      <label for={name}>{props.label}</label>
      <About {...props} />
      <input
        id={name}
        name={name}
        // The types of JSX want one literal, because some types allow fewer roles.
        type={type as 'text'}
        class={width}
        value={value}
        autocomplete={autocomplete}
        inputMode={inputMode}
        maxLength={maxLength}
        spellcheck={props.spellcheck}
        {...describedBy(props)}
      />
    </div>
  );
}

export interface TextAreaProps extends FieldProps {
  readonly value?: string | undefined;
  readonly maxLength: number;
  readonly rows: number;
}

/** Several lines of text. */
export function TextArea(props: TextAreaProps) {
  const { name, value, maxLength, rows } = props;
  return (
    <div class="field">
      <label for={name}>{props.label}</label>
      <About {...props} />
      <textarea
        id={name}
        name={name}
        rows={rows}
        maxLength={maxLength}
        autocomplete="off"
        {...describedBy(props)}
      >
        {value}
      </textarea>
    </div>
  );
}

export type DateParts = Readonly<{ day: string; month: string; year: string }>;

export interface DateFieldProps extends FieldProps {
  readonly labels: DateParts;
  readonly value?: DateParts | undefined;
  /** A date of birth, which browsers can fill in. */
  readonly birth?: true;
}

/** Three numbers, sent as `<name>Day`, `<name>Month` and `<name>Year`. */
export function DateField(props: DateFieldProps) {
  const { name, labels, value, birth, label } = props;
  const part = (key: keyof DateParts, suffix: string, id: string, maxLength: number) => (
    <div class="field">
      <label class="small" for={id}>
        {labels[key]}
      </label>
      <input
        id={id}
        name={`${name}${suffix}`}
        value={value?.[key]}
        inputMode="numeric"
        maxLength={maxLength}
        autocomplete={birth ? `bday-${key}` : 'off'}
        {...describedBy(props)}
      />
    </div>
  );
  return (
    <fieldset class="field">
      <legend>{label}</legend>
      <About {...props} />
      <div class="fields dob">
        {part('day', 'Day', name, 2)}
        {part('month', 'Month', `${name}Month`, 2)}
        {part('year', 'Year', `${name}Year`, 4)}
      </div>
    </fieldset>
  );
}

export interface Choice {
  readonly value: string;
  readonly label: ComponentChildren;
  readonly hint?: ComponentChildren;
  /** What it needs besides: shown once it is chosen. */
  readonly inside?: ComponentChildren;
}

export interface ChoiceFieldProps extends FieldProps {
  readonly choices: readonly Choice[];
  readonly value?: string | undefined;
}

export function RadioField(props: ChoiceFieldProps) {
  const { name, choices, value, label } = props;
  return (
    <fieldset class="field">
      <legend>{label}</legend>
      <About {...props} />
      {choices.map((choice, position) => [
        <label class="choice">
          <input
            type="radio"
            id={position === 0 ? name : undefined}
            name={name}
            value={choice.value}
            checked={choice.value === value}
            {...describedBy(props)}
          />
          <span>
            {choice.label}
            {choice.hint === undefined ? null : <small>{choice.hint}</small>}
          </span>
        </label>,
        choice.inside === undefined ? null : <div class="inside">{choice.inside}</div>,
      ])}
    </fieldset>
  );
}

export interface SelectFieldProps extends Omit<ChoiceFieldProps, 'choices'> {
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly autocomplete?: string;
  /** The first line, for no choice; without it one of the choices is always chosen. */
  readonly empty?: string;
  readonly width?: 'short' | 'medium';
  /** The id of the control, if another form of the page has a field of this name. */
  readonly id?: string;
}

export function SelectField(props: SelectFieldProps) {
  const { name, choices, value, label, autocomplete = 'off', empty, width } = props;
  const { id = name } = props;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <About {...props} name={id} />
      <select
        id={id}
        name={name}
        class={width}
        autocomplete={autocomplete}
        {...describedBy({ ...props, name: id })}
      >
        {empty === undefined ? null : <option value="">{empty}</option>}
        {choices.map((choice) => (
          <option value={choice.value} selected={choice.value === value}>
            {choice.label}
          </option>
        ))}
      </select>
    </div>
  );
}

/** One line with a box to tick. */
export function CheckField(props: FieldProps & { readonly checked?: boolean }) {
  return (
    <div class="field">
      <About {...props} hint={undefined} />
      <label class="choice">
        <input
          type="checkbox"
          id={props.name}
          name={props.name}
          value="yes"
          checked={props.checked}
          {...describedBy({ ...props, hint: undefined })}
        />
        <span>
          {props.label}
          {props.hint === undefined ? null : <small>{props.hint}</small>}
        </span>
      </label>
    </div>
  );
}

export interface ChecksFieldProps extends FieldProps {
  /** Each value is the name of its box, and the first one its id too. */
  readonly choices: readonly Choice[];
  readonly chosen: readonly string[];
}

/** Boxes to tick, any number of them. */
export function ChecksField(props: ChecksFieldProps) {
  return (
    <fieldset class="field">
      <legend>{props.label}</legend>
      <About {...props} />
      <Checks {...props} />
    </fieldset>
  );
}

/** The boxes alone, inside a fieldset that names them. */
export function Checks(props: Omit<ChecksFieldProps, 'label'>) {
  const { name, choices, chosen } = props;
  return (
    <div class="checks">
      {choices.map(({ value, label, hint }, position) => (
        <label class="choice">
          <input
            type="checkbox"
            id={position === 0 ? name : undefined}
            name={value}
            value="yes"
            checked={chosen.includes(value)}
            {...describedBy(props)}
          />
          <span>
            {label}
            {hint === undefined ? null : <small>{hint}</small>}
          </span>
        </label>
      ))}
    </div>
  );
}

export interface FileRowProps {
  /** The id of the control. */
  readonly id: string;
  readonly title: ComponentChildren;
  /** What the file must show. */
  readonly hint: ComponentChildren;
  /** In words, such as “Received”. */
  readonly state: Readonly<{ look: 'ok' | 'bad' | 'wait' | 'open'; text: ComponentChildren }>;
  readonly error?: string | undefined;
  /** The form that uploads or replaces; null if nothing can be sent. */
  readonly form: VNode | null;
}

const stateIcons = { ok: 'ok', bad: 'alert', wait: 'clock', open: null } as const;

/**
 * Where a page goes on after an upload. Not the control: browsers open a closed `details` around
 * what an address names.
 */
export function fileRowId(control: string): string {
  return `${control}-row`;
}

/** One file: what it must show, its state in words, and how to send it. */
export function FileRow({ id, title, hint, state, error, form }: FileRowProps) {
  const icon = stateIcons[state.look];
  return (
    <li id={fileRowId(id)}>
      <div>
        <b>{title}</b>
        <p class="small quiet">{hint}</p>
      </div>
      <span class={`state ${state.look}`}>
        {icon === null ? null : <Icon name={icon} />}
        <span>{state.text}</span>
      </span>
      {error === undefined ? null : <ErrorText id={`${id}-error`} text={error} />}
      {form}
    </li>
  );
}

/** A file among the fields of a form; `accept` lists its content types. */
export function FileField(props: FieldProps & { readonly accept: string }) {
  const { name, label, accept } = props;
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <About {...props} />
      <input type="file" id={name} name={name} accept={accept} {...describedBy(props)} />
    </div>
  );
}

/** The control inside the form of a file row. */
export function FileInput({
  id,
  label,
  accept,
  add,
  drop,
  hasError,
}: {
  readonly id: string;
  readonly label: string;
  readonly accept: string;
  /** What the button says with a script, which opens the chooser by it and sends at once. */
  readonly add: string;
  /** Beside it: the row takes files that are dropped on it. */
  readonly drop?: string;
  readonly hasError?: boolean;
}) {
  return (
    <input
      type="file"
      id={id}
      name="file"
      accept={accept}
      data-add={add}
      data-drop={drop}
      aria-label={label}
      aria-describedby={hasError ? `${id}-error` : undefined}
      aria-invalid={hasError || undefined}
    />
  );
}

export interface FieldError {
  /** The id of the control. */
  readonly field: string;
  readonly text: string;
}

/** First on the page and focused by the script; each line leads to its field. */
export function ErrorSummary({ errors }: { readonly errors: readonly FieldError[] }) {
  const { texts } = useFrame();
  if (errors.length === 0) return null;
  return (
    <div class="errors" role="alert" tabIndex={-1}>
      <Icon name="alert" />
      <div>
        <h2>{texts.problems(errors.length)}</h2>
        <ul>
          {errors.map(({ field, text }) => (
            <li>
              <a href={`#${field}`}>{text}</a>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

/** Hint and error of a field, before the control. */
export function About({ name, hint, error }: Omit<FieldProps, 'label'>) {
  return [
    hint === undefined ? null : (
      <span class="hint" id={`${name}-hint`}>
        {hint}
      </span>
    ),
    error === undefined ? null : <ErrorText id={`${name}-error`} text={error} />,
  ];
}

function ErrorText({ id, text }: { readonly id: string; readonly text: string }) {
  return (
    <p class="error" id={id}>
      <Icon name="alert" />
      <span>{text}</span>
    </p>
  );
}

function describedBy({ name, hint, error }: Omit<FieldProps, 'label'>): AriaAttributes {
  const ids = [
    ...(hint === undefined ? [] : [`${name}-hint`]),
    ...(error === undefined ? [] : [`${name}-error`]),
  ];
  return {
    'aria-describedby': ids.length === 0 ? undefined : ids.join(' '),
    'aria-invalid': error === undefined ? undefined : true,
  };
}
