// A question of the buyer to the organization, which answers by mail.
import { DISPLAY_TEXT_LENGTH_MAX } from '../../../core/domain/payments/display.js';
import type { ScreenContent } from '../hosted/layout.js';
import type { Page } from '../hosted/page-view.js';
import type { PaymentScene } from '../hosted/scene.js';
import { ButtonLink, Form, Submit } from '../kit/components.js';
import { TextArea } from '../kit/fields.js';
import { FormKey } from '../kit/pages/form-key.js';

export function questionScreen(
  { texts, view, org }: PaymentScene,
  { key, typed, isRefused }: Extract<Page, { name: 'question' }>,
): ScreenContent {
  const words = texts.question;
  return {
    title: words.heading,
    lede: words.lede(org, view.viewer?.email ?? ''),
    station: null,
    errors: isRefused ? [{ field: 'question', text: words.refused }] : [],
    body: (
      <Form to="question" class="stack">
        <FormKey value={key} />
        <TextArea
          name="question"
          label={words.label}
          hint={words.hint}
          value={typed}
          error={isRefused ? words.refused : undefined}
          maxLength={DISPLAY_TEXT_LENGTH_MAX}
          rows={4}
        />
        <Submit beside={<ButtonLink href={view.path}>{texts.frame.back}</ButtonLink>}>
          {words.send}
        </Submit>
      </Form>
    ),
  };
}
