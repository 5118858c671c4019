// The form of a mailed code, for everybody who signs in by mail.
import type { VNode } from 'preact';
import { Button, Form, Note } from './components.js';
import { TextField } from './fields.js';
import { useFrame } from './page-frame.js';

/** `mailbox`: where a development host shows its mails; null where mails are sent. */
export function CodeForm({
  mailbox,
  error,
}: {
  readonly mailbox: string | null;
  readonly error: string | undefined;
}): VNode {
  const { texts } = useFrame();
  return (
    <>
      {mailbox === null ? null : (
        <Note>
          <p>
            {texts.noMails} <a href={mailbox}>{texts.mailbox}</a>
          </p>
        </Note>
      )}
      <Form to="code" class="card stack">
        <TextField
          name="code"
          label={texts.code}
          hint={texts.codeHint}
          error={error}
          width="otp"
          inputMode="numeric"
          autocomplete="one-time-code"
          maxLength={7}
        />
        <div class="actions">
          <Button look="primary">{texts.continue}</Button>
        </div>
      </Form>
    </>
  );
}
