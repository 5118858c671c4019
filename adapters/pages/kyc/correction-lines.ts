// What the partner asks to correct, as lines of the page that leads to the form.
import type { Locale } from '../../../core/domain/base/locale.js';
import { isCorrected } from '../../../core/domain/hosted/kyc-draft.js';
import { placeCorrections } from '../../../core/domain/hosted/kyc-form.js';
import type { KycSubmission } from '../../../core/domain/parties/buyer-kyc.js';
import { correctionsOf } from '../../../core/domain/parties/party-due.js';
import type { Deps } from '../../../core/ports/deps.js';
import { readDraft } from '../../../core/usecases/parties/kyc-drafts.js';
import { correctionText } from './kyc-scene.js';
import { kycCatalogues } from './kyc-texts.js';

/** Without those that were corrected since. */
export function correctionLines(
  deps: Pick<Deps, 'secretBox'>,
  submission: KycSubmission | null,
  locale: Locale,
): readonly string[] {
  if (submission === null || submission.corrections === null) return [];
  const draft = readDraft(deps, submission);
  const named = { form: { draft }, words: kycCatalogues[locale] };
  return placeCorrections(draft, correctionsOf(submission))
    .filter(({ place }) => place === null || !isCorrected(draft, place))
    .map((correction) => correctionText(named, correction));
}
