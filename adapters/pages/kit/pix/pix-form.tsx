// The form of a PIX key, for whoever may set a destination: an organization or a seller. The key is
// typed twice, and again after each problem; it goes to the settlement partner alone.
import {
  type PixKey,
  type PixKeyKind,
  type PixKeyProblem,
  readPixKey,
} from '../../../../core/domain/parties/pix-key.js';
import type { PixDestination } from '../../../../core/usecases/parties/party-payouts.js';
import { SelectField, TextField } from '../fields.js';
import {
  type DeclaredField,
  type Fields,
  type TypedForm,
  text,
  type Values,
} from '../pages/form-page.js';
import type { PixTexts } from './pix-texts.js';

const numberKinds = ['cpf', 'cnpj', 'phone'] as const satisfies readonly PixKeyKind[];

function keyIn({ pixKey = '', pixKeyKind }: TypedForm): PixKey | PixKeyProblem {
  return readPixKey(pixKey, numberKinds.find((kind) => kind === pixKeyKind) ?? null);
}

/** Both texts are the same key if they are read as the same one. */
function isSame(typed: TypedForm): boolean {
  const { pixKey = '', again = '' } = typed;
  const key = keyIn(typed);
  if (typeof key === 'string') return pixKey.trim() === again.trim();
  const repeated = readPixKey(again, key.kind);
  return typeof repeated !== 'string' && repeated.text === key.text;
}

interface PixFields extends Fields {
  readonly pixKey: DeclaredField<string>;
  readonly again: DeclaredField<null>;
  readonly pixKeyKind: DeclaredField<PixKeyKind | null>;
  readonly holder: DeclaredField<string>;
}

export function pixFields(words: PixTexts): PixFields {
  const shownAs = (label: string, hint: string): Pick<DeclaredField<string>, 'show'> => ({
    show: (name, _, error) => (
      <TextField {...{ name, label, hint, error }} maxLength={140} spellcheck={false} />
    ),
  });
  return {
    pixKey: {
      ...shownAs(words.key, words.keyHint),
      read(typed) {
        const value = typed['pixKey'] ?? '';
        if (value.trim() === '') return { problem: words.noKey };
        const key = keyIn(typed);
        const isRead = typeof key !== 'string' || key === 'unclear' || !isSame(typed);
        return isRead ? { value } : { problem: words[key] };
      },
    },
    again: {
      ...shownAs(words.again, words.againHint),
      read: (typed) =>
        (typed['pixKey'] ?? '').trim() === '' || isSame(typed)
          ? { value: null }
          : { problem: words.differs },
    },
    // Asked only where the key does not say it.
    pixKeyKind: {
      read(typed) {
        const key = keyIn(typed);
        if (key === 'unclear' && isSame(typed)) return { problem: words.unclear };
        return { value: typeof key === 'string' ? null : key.kind };
      },
      show: (name, _, error) =>
        error === undefined ? null : (
          <SelectField
            {...{ name, error }}
            label={words.kind}
            choices={numberKinds.map((value) => ({
              value,
              label: value === 'phone' ? words.phone : value.toUpperCase(),
            }))}
            empty=""
          />
        ),
    },
    holder: text({ label: words.holder, max: 200, problem: words.noHolder }),
  };
}

export function destinationOf(values: Values<PixFields>): PixDestination {
  const { holder: accountHolderName, pixKey, pixKeyKind } = values;
  return { pixKey, pixKeyKind, accountHolderName };
}
