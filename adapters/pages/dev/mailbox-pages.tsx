// The mails of a development host, for people who try the service: a list, and each mail with its
// links. Production has no such page.
import type { ComponentChildren } from 'preact';
import { formatInstant } from '../../../core/domain/base/instant.js';
import { expectFound } from '../../../core/errors.js';
import type { WrittenMail } from '../../../core/ports/outside.js';
import { assetPaths } from '../kit/assets.js';
import { formatOf } from '../kit/format.js';
import { Icon } from '../kit/icons.js';
import {
  download,
  html,
  type PageAnswer,
  type PageCall,
  type PageContext,
  pageRow,
} from '../kit/page-route.js';
import { renderPage } from '../kit/pages/page-document.js';

/** Mails have inline styles and links; nothing of them runs. */
const mailPolicy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  'sandbox allow-top-navigation-by-user-activation allow-popups',
].join('; ');

const access = { subject: 'none', auth: 'none', csrf: 'none', limit: 'none' } as const;
const row = { ...access, method: 'GET', form: 'none' } as const;

export const mailboxPages = [
  pageRow({ ...row, path: '/dev/mailbox', handler: showList }),
  pageRow({ ...row, path: '/dev/mailbox/{id}', handler: showMail }),
  pageRow({ ...row, path: '/dev/mailbox/{id}/{name}', handler: attachment }),
];

/** The newest mails, which a person looks for; earlier ones are folded. */
const OPEN = 5;

type MailboxCall = PageCall<'none', unknown>;

async function showList(context: PageContext): Promise<PageAnswer> {
  const mails = await expectFound(context.mailbox).list();
  const { deps, prefix } = context;
  const { style, testIcon } = assetPaths(prefix);
  const view = { locale: 'en', root: prefix, path: prefix, csrf: null } as const;
  const text = renderPage(
    {
      view: { ...view, nowMs: deps.clock.nowMs() },
      formVersion: undefined,
      format: formatOf('en'),
    },
    {
      title: 'Mailbox of this development host',
      styles: [style],
      icon: testIcon,
      script: null,
      names: null,
      body: { class: 'buyer' },
      children: <MailList mails={mails} prefix={prefix} />,
    },
  );
  return html(text);
}

/** The mail as a program of the reader shows it. */
async function showMail(context: PageContext, { params }: MailboxCall): Promise<PageAnswer> {
  const mail = expectFound(await expectFound(context.mailbox).read(params['id'] ?? ''));
  if (mail.html === null) {
    return { ...html(mail.text), headers: { 'content-type': 'text/plain; charset=utf-8' } };
  }
  const answer = html(mail.html);
  return { ...answer, headers: { ...answer.headers, 'content-security-policy': mailPolicy } };
}

async function attachment(context: PageContext, { params }: MailboxCall): Promise<PageAnswer> {
  const mail = await expectFound(context.mailbox).read(params['id'] ?? '');
  const found = expectFound(mail?.attachments.find(({ name }) => name === params['name']));
  const { name, type, base64 } = found;
  return download(name, type, Buffer.from(base64, 'base64'));
}

function MailList({ mails, prefix }: { mails: readonly WrittenMail[]; prefix: string }) {
  return (
    <main id="main" tabIndex={-1} class="wrap stack-l">
      <div class="stack-s">
        <h1>Mailbox</h1>
        <p class="lede">
          This development host sends no mail. What it would send is here, newest first.
        </p>
      </div>
      {mails.length === 0 ? (
        <p class="card">No mail yet. Open a payment page and press “Send me a sign-in link”.</p>
      ) : (
        mails.map((mail, at) =>
          at < OPEN ? (
            <Mail mail={mail} prefix={prefix} />
          ) : (
            <details>
              <summary>
                {mail.subject}, to {mail.to}
              </summary>
              <Mail mail={mail} prefix={prefix} />
            </details>
          ),
        )
      )}
    </main>
  );
}

function Mail({ mail, prefix }: { mail: WrittenMail; prefix: string }) {
  const { id, to, subject, writtenAtMs, text, attachments } = mail;
  return (
    <article class="card stack">
      <div>
        <h2>{subject}</h2>
        <p class="small quiet">
          To {to}, <time dateTime={formatInstant(writtenAtMs)}>{formatInstant(writtenAtMs)}</time>
        </p>
      </div>
      {paragraphs(text).map((lines) => (
        <p>{lines.map((line, index) => [index === 0 ? null : <br />, linked(line)])}</p>
      ))}
      <p class="actions">
        <a class="btn" href={`${prefix}/dev/mailbox/${id}`}>
          Show as HTML
        </a>
        {attachments.map(({ name }) => (
          <a class="btn" href={`${prefix}/dev/mailbox/${id}/${encodeURIComponent(name)}`}>
            <Icon name="download" />
            {name}
          </a>
        ))}
      </p>
    </article>
  );
}

function paragraphs(text: string): readonly (readonly string[])[] {
  const blocks = text.split(/\r?\n\r?\n/).filter((block) => block.trim() !== '');
  return blocks.map((block) => block.split(/\r?\n/));
}

/** A line that is a URL, as the letters write links. */
function linked(line: string): ComponentChildren {
  const text = line.trim();
  return /^https?:\/\/\S+$/.test(text) ? <a href={text}>{text}</a> : line;
}
