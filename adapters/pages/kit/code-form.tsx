// The form of a mailed code, for everybody who signs in by mail.
import { ButtonForm, Form, Note, Submit } from './components.js';
import { TextField } from './fields.js';
import { useFrame } from './page-frame.js';

/** `mailbox`: where a development host shows its mails; null where mails are sent. */
export function CodeForm({
  mailbox,
  error,
}: Readonly<{ mailbox: string | null; error: string | undefined }>) {
  const { texts } = useFrame();
  return [
    mailbox === null ? null : (
      <Note>
        <p>
          {texts.noMails} <a href={mailbox}>{texts.mailbox}</a>
        </p>
      </Note>
    ),
    <Form to="code" class="card stack">
      <CodeField hint={texts.codeHint} error={error} />
      <Submit>{texts.continue}</Submit>
    </Form>,
  ];
}

function CodeField({ hint, error }: Readonly<{ hint: string; error: string | undefined }>) {
  const { texts } = useFrame();
  return (
    <TextField
      name="code"
      label={texts.code}
      hint={hint}
      error={error}
      width="otp"
      inputMode="numeric"
      autocomplete="one-time-code"
      maxLength={7}
    />
  );
}

/** On the page of a link: the code of its mail. */
export function LinkCodeField({ error }: { readonly error: string | undefined }) {
  const { texts } = useFrame();
  return <CodeField hint={texts.linkCodeHint} error={error} />;
}

/** On the page of a link: its button, or the code of its mail. `auto`: the script presses it. */
export function EnterForm({
  asksCode,
  auto,
  error,
}: Readonly<{ asksCode: boolean; auto: boolean; error: string | undefined }>) {
  const { texts } = useFrame();
  return asksCode ? (
    <Form to="enter" class="stack">
      <LinkCodeField error={error} />
      <Submit>{texts.continue}</Submit>
    </Form>
  ) : (
    <ButtonForm to="enter" class="actions" auto={auto} look="primary" text={texts.continue} />
  );
}
