// A PIX destination: the key is typed twice and never shown again. What was typed goes to the
// settlement partner alone.
import type { VNode } from 'preact';
import { z } from 'zod';
import {
  type PixKeyKind,
  type PixKeyProblem,
  readPixKey,
} from '../../../core/domain/parties/pix-key.js';
import type { PixDestination } from '../../../core/usecases/parties/party-payouts.js';
import { Button, Form } from './components.js';
import { type FieldError, SelectField, TextField } from './fields.js';

export const pixForm = z.object({
  pixKey: z.string().max(1_000),
  again: z.string().max(1_000),
  pixKeyKind: z.enum(['', 'cpf', 'cnpj', 'phone']).default(''),
  holder: z.string().max(1_000),
});

/** `refused`: by the partner. `taken`: there is another, which this person may not change. */
export type PixProblem = 'noKey' | 'differs' | 'noHolder' | 'refused' | 'taken' | PixKeyProblem;

const fieldOf = {
  noKey: 'pixKey',
  differs: 'again',
  noHolder: 'holder',
  refused: 'pixKey',
  taken: 'pixKey',
  unclear: 'pixKeyKind',
  check_digits: 'pixKey',
  not_a_key: 'pixKey',
} as const satisfies Record<PixProblem, string>;

export type PixWords = Readonly<
  Record<
    'key' | 'keyHint' | 'again' | 'againHint' | 'kind' | 'phone' | 'holder' | 'save' | PixProblem,
    string
  >
>;

export type CheckedPix =
  | { readonly destination: PixDestination; readonly problem: null }
  | { readonly destination: null; readonly problem: PixProblem };

/** Both texts are the same key if they are read as the same one. */
export function checkPix(typed: z.infer<typeof pixForm>): CheckedPix {
  const { pixKey, again, pixKeyKind, holder } = typed;
  const kind: PixKeyKind | null = pixKeyKind === '' ? null : pixKeyKind;
  const refuse = (problem: PixProblem) => ({ destination: null, problem });
  if (pixKey.trim() === '') return refuse('noKey');
  const key = readPixKey(pixKey, kind);
  if (typeof key === 'string') return refuse(pixKey.trim() === again.trim() ? key : 'differs');
  const repeated = readPixKey(again, key.kind);
  if (typeof repeated === 'string' || repeated.text !== key.text) return refuse('differs');
  if (holder.trim() === '') return refuse('noHolder');
  const destination = { pixKey, pixKeyKind: key.kind, accountHolderName: holder.trim() };
  return { destination, problem: null };
}

export function pixErrors(words: PixWords, problem: PixProblem | null): readonly FieldError[] {
  return problem === null ? [] : [{ field: fieldOf[problem], text: words[problem] }];
}

/** `to`: the path of the form, below the page. */
export function PixForm({
  to,
  words,
  errors,
  holder,
}: {
  readonly to: string;
  readonly words: PixWords;
  readonly errors: readonly FieldError[];
  readonly holder: string;
}): VNode {
  const errorAt = (name: string) => errors.find(({ field }) => field === name)?.text;
  return (
    <Form to={to} class="card stack">
      <TextField
        name="pixKey"
        label={words.key}
        hint={words.keyHint}
        error={errorAt('pixKey')}
        maxLength={140}
        spellcheck={false}
      />
      <TextField
        name="again"
        label={words.again}
        hint={words.againHint}
        error={errorAt('again')}
        maxLength={140}
        spellcheck={false}
      />
      {errorAt('pixKeyKind') === undefined ? null : (
        <SelectField
          name="pixKeyKind"
          label={words.kind}
          error={errorAt('pixKeyKind')}
          choices={[
            { value: 'cpf', label: 'CPF' },
            { value: 'cnpj', label: 'CNPJ' },
            { value: 'phone', label: words.phone },
          ]}
          empty=""
        />
      )}
      <TextField
        name="holder"
        label={words.holder}
        value={holder}
        error={errorAt('holder')}
        maxLength={200}
      />
      <div class="actions">
        <Button look="primary">{words.save}</Button>
      </div>
    </Form>
  );
}
