// The pages of the KYC form that ask for data: the type of the payer, the person, the company, the
// address, and the partner's terms.
import { type Asked, askedFor } from '../../../core/domain/hosted/kyc-draft.js';
import { fieldsFor, type KycStep } from '../../../core/domain/hosted/kyc-form.js';
import type { ScreenContent } from '../hosted/layout.js';
import { Button, ButtonForm, ButtonLink, Form, Note, Submit, Time } from '../kit/components.js';
import { RadioField, TextField } from '../kit/fields.js';
import { Fields } from './field-controls.js';
import { errorsOf, type KycScene, stepFrame } from './kyc-scene.js';

export function typeScreen(scene: KycScene): ScreenContent {
  const { words, form, typed, problems } = scene;
  const { entityType } = form.draft;
  const error = problems?.entityType === undefined ? undefined : words.chooseType;
  const choices = (['business', 'individual'] as const).map((value) => ({
    value,
    label: words.types[value],
    hint: words.types[`${value}Hint`],
  }));
  const title = words.typeHeading;
  return stepFrame(scene, 'type', {
    title,
    lede: undefined,
    errors: error === undefined ? [] : [{ field: 'entityType', text: error }],
    body: [
      <Form to="kyc/type" class="card stack">
        <RadioField
          name="entityType"
          label={words.steps.type}
          choices={choices}
          value={typed['entityType'] ?? entityType ?? undefined}
          error={error}
        />
        <Continue scene={scene} />
      </Form>,
      <HandOver scene={scene} />,
    ],
  });
}

/** The whole form may be handed to somebody else. */
function HandOver({ scene }: { readonly scene: KycScene }) {
  const { words, form, addressProblem } = scene;
  const asked = askedFor(form.draft, null);
  const error = addressProblem === null ? undefined : words.problems[addressProblem];
  return (
    <details open={error !== undefined || asked !== null}>
      <summary>{words.handOver.summary}</summary>
      {asked === null ? (
        <Form to="kyc/hand-over" class="stack">
          <p class="quiet">{words.handOver.text}</p>
          <TextField name="email" type="email" label={words.handOver.email} error={error} />
          <Submit plain>{words.handOver.send}</Submit>
        </Form>
      ) : (
        <HandedOver scene={scene} asked={asked} />
      )}
    </details>
  );
}

function HandedOver({ scene, asked }: { readonly scene: KycScene; readonly asked: Asked }) {
  const { handOver, owners } = scene.words;
  return (
    <div class="stack">
      <p>{handOver.sent(<b>{asked.email}</b>, <Time atMs={asked.askedAtMs} />)}</p>
      <ButtonForm to="kyc/hand-over" class="actions" values={{ email: asked.email }}>
        {owners.again}
      </ButtonForm>
      <Form to="kyc/hand-over/take-back" class="stack-s">
        <Button look="link">{handOver.takeBack}</Button>
        <p class="small quiet">{handOver.takeBackText}</p>
      </Form>
    </div>
  );
}

export function Continue({ scene }: { readonly scene: KycScene }) {
  return <Submit>{scene.words.continue}</Submit>;
}

type DataStep = Extract<KycStep, 'person' | 'company' | 'address'>;

export function dataScreen(scene: KycScene, step: DataStep): ScreenContent {
  const { form, words } = scene;
  const fields = fieldsFor(form, step, null, form.author);
  const type = form.draft.entityType ?? 'business';
  const { title, lede } = {
    person: { title: words.personHeading, lede: words.personLede },
    company: { title: words.companyHeading, lede: words.companyLede },
    address: { title: words.addressHeading[type], lede: words.addressLede[type] },
  }[step];
  return stepFrame(scene, step, {
    title,
    lede,
    errors: errorsOf(
      scene,
      fields.map(({ field }) => ({ field, owner: null })),
    ),
    body: (
      <Form to={`kyc/${step}`} class="card stack">
        <Fields scene={scene} fields={fields} owner={null} />
        <Continue scene={scene} />
      </Form>
    ),
  });
}

/** `url`: of the partner's page; null once accepted. `tosId`: the buyer has just come back. */
export function termsScreen(
  scene: KycScene,
  { url, tosId }: { readonly url: string | null; readonly tosId: string | null },
): ScreenContent {
  const { words } = scene;
  return stepFrame(scene, 'terms', {
    title: words.terms.heading,
    lede: words.terms.lede,
    errors: [],
    body: (
      <div class="card stack">
        {url === null || tosId !== null ? (
          <Note look="ok" text={words.terms.accepted} />
        ) : (
          [
            <p class="small quiet">{words.terms.leaves}</p>,
            <div class="actions">
              <ButtonLink href={url} look="primary" text={words.terms.open} />
            </div>,
          ]
        )}
        {url === null || tosId !== null ? (
          <Form to="kyc/terms">
            <input type="hidden" name="tosId" value={tosId ?? ''} />
            <Submit>{scene.texts.frame.continue}</Submit>
          </Form>
        ) : null}
      </div>
    ),
  });
}
