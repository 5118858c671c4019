// Pages without a session: the check of bank details, the end of a held change, the page that does
// not exist, and requests that were refused.
import type { ScreenContent } from '../hosted/layout.js';
import type { Page, PageVerifyAnswer } from '../hosted/page-view.js';
import type { Scene } from '../hosted/scene.js';
import { LinkCodeField } from '../kit/code-form.js';
import { Button, ButtonLink, Form, Moment, Note, Submit, Time } from '../kit/components.js';
import { type FieldError, TextField } from '../kit/fields.js';

type Verify = Extract<Page, { name: 'verify' }>;

export function verifyScreen(scene: Scene, { asked, answer }: Verify): ScreenContent {
  const { texts } = scene;
  const errors = verifyErrors(scene, { name: 'verify', asked, answer });
  const errorOf = (field: string) => errors.find((error) => error.field === field)?.text;
  return {
    title: texts.frame.verify,
    lede: texts.verify.lede,
    station: null,
    errors,
    body: [
      <VerifyResult scene={scene} answer={answer} />,
      <Form to="/verify" class="card">
        <TextField
          name="publicId"
          label={texts.verify.page}
          hint={texts.verify.pageHint}
          value={asked?.publicId}
          error={errorOf('publicId')}
          spellcheck={false}
        />
        <TextField
          name="value"
          label={texts.verify.value}
          hint={texts.verify.valueHint}
          value={asked?.value}
          error={errorOf('value')}
          width="medium"
          spellcheck={false}
        />
        <div class="actions gap">
          <Button look="primary">{texts.verify.check}</Button>
        </div>
      </Form>,
    ],
  };
}

function verifyErrors({ texts }: Scene, { asked, answer }: Verify): readonly FieldError[] {
  if (answer.name !== 'incomplete') return [];
  return [
    ...(asked?.publicId ? [] : [{ field: 'publicId', text: texts.verify.incompletePage }]),
    ...(asked?.value ? [] : [{ field: 'value', text: texts.verify.incompleteValue }]),
  ];
}

function VerifyResult({
  scene: { texts },
  answer,
}: Readonly<{ scene: Scene; answer: PageVerifyAnswer }>) {
  switch (answer.name) {
    case 'none':
    case 'incomplete':
      return null;
    case 'ours':
      return (
        <Note look={answer.isOver ? 'warn' : 'ok'} live>
          <p>{texts.verify.ours(<Time atMs={answer.givenAtMs} />)}</p>
          {answer.isOver ? (
            <p>
              <b>{texts.verify.over}</b>
            </p>
          ) : null}
        </Note>
      );
    case 'never':
      return <Note look="bad" live text={texts.verify.never} />;
  }
}

export function stopChangeScreen(
  scene: Scene,
  { code, state, isRefused }: Extract<Page, { name: 'stop_change' }>,
): ScreenContent {
  const { texts } = scene;
  const { heading, text } = texts.stopChange[state];
  const error = isRefused ? texts.notice.code_wrong : undefined;
  return {
    title: heading,
    lede: text,
    station: null,
    errors: error === undefined ? [] : [{ field: 'code', text: error }],
    body:
      state === 'held' ? (
        <Form to={`/stop/${code}`} class="card stack">
          <LinkCodeField error={error} />
          <Submit>{texts.stopChange.stop}</Submit>
        </Form>
      ) : null,
  };
}

export function problemScreen(
  { texts, view }: Scene,
  { problem, untilMs }: Extract<Page, { name: 'problem' }>,
): ScreenContent {
  const { heading, text } = texts.problem[problem];
  return {
    title: heading,
    lede: untilMs === null ? text : texts.limited.tryAgain(<Moment atMs={untilMs} />),
    station: null,
    body: (
      <ButtonLink row href={view.path}>
        {texts.problem.open}
      </ButtonLink>
    ),
  };
}

/** The same for every address, so that nobody learns which payments exist. */
export function notFoundScreen({ texts }: Scene): ScreenContent {
  const { heading, text } = texts.problem.not_found;
  return { title: heading, lede: text, station: null, body: null };
}
