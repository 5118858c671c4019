// A PIX destination: the key is typed twice and never shown again. What was typed goes to the
// settlement partner alone.
import type { VNode } from 'preact';
import { z } from 'zod';
import type { PixDestination } from '../../../core/usecases/parties/party-payouts.js';
import { Button, Form } from './components.js';
import { type FieldError, TextField } from './fields.js';

export const pixForm = z.object({
  pixKey: z.string().max(1_000),
  again: z.string().max(1_000),
  holder: z.string().max(1_000),
});

/** `refused`: by the partner. `taken`: there is another, which this person may not change. */
export type PixProblem = 'noKey' | 'differs' | 'noHolder' | 'refused' | 'taken';

const fieldOf = {
  noKey: 'pixKey',
  differs: 'again',
  noHolder: 'holder',
  refused: 'pixKey',
  taken: 'pixKey',
} as const satisfies Record<PixProblem, string>;

export type PixWords = Readonly<
  Record<'key' | 'keyHint' | 'again' | 'againHint' | 'holder' | 'save' | PixProblem, string>
>;

export type CheckedPix =
  | { readonly destination: PixDestination; readonly problem: null }
  | { readonly destination: null; readonly problem: PixProblem };

/** A tax id as people write it; a PIX key has its digits alone. */
const writtenTaxId = /^(\d{3}\.\d{3}\.\d{3}-\d{2}|\d{2}\.\d{3}\.\d{3}\/\d{4}-\d{2})$/;

function typedKey(text: string): string {
  const key = text.trim();
  return writtenTaxId.test(key) ? key.replaceAll(/\D/g, '') : key;
}

export function checkPix({ pixKey, again, holder }: z.infer<typeof pixForm>): CheckedPix {
  const destination = { pixKey: typedKey(pixKey), accountHolderName: holder.trim() };
  const problem =
    destination.pixKey === ''
      ? 'noKey'
      : destination.pixKey !== typedKey(again)
        ? 'differs'
        : destination.accountHolderName === ''
          ? 'noHolder'
          : null;
  return problem === null ? { destination, problem } : { destination: null, problem };
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
