// Mails as plain text and as HTML, both made of the same parts in the same order. The HTML is one
// table with inline styles, because mail programs drop style sheets; dark colours are added where
// they are kept. A buyer's mail has the color and the logo of the page that it opens; the logo is
// part of the mail. Nothing is loaded, no tracking, and no link but to the hosted page.
import type { VNode } from 'preact';
import type { Locale } from '../../../core/domain/base/locale.js';
import { isOwnerNotice } from '../../../core/domain/mail/mail.js';
import { accentPalettes } from '../../../core/domain/parties/accent-color.js';
import {
  type Letter,
  type Letters,
  logoCid,
  type RenderedLetter,
  type SignInLink,
} from '../../../core/ports/letters.js';
import { withExactValues } from '../kit/pages/exact-values.js';
import { renderDocument } from '../kit/pages/page-document.js';
import {
  detailsOf,
  exactNamesIn,
  formatFor,
  handleOf,
  invoicesIn,
  isToBuyer,
  type LetterCatalogue,
  oneLine,
  standingOf,
  textsOf,
} from './letter-texts.js';
import { lettersEn } from './letters-en.js';
import { lettersEs } from './letters-es.js';
import { lettersPtBr } from './letters-pt-br.js';

const catalogues: Readonly<Record<Locale, LetterCatalogue>> = {
  en: lettersEn,
  'pt-BR': lettersPtBr,
  es: lettersEs,
};

/** What a letter consists of, in order. */
type Part =
  | { readonly kind: 'test' | 'paragraph' | 'note' | 'strong'; readonly text: string }
  | Readonly<{ kind: 'sender'; name: string; via: string; hasLogo: boolean }>
  | { readonly kind: 'heading'; readonly text: string; readonly amount: string | null }
  | { readonly kind: 'list'; readonly lines: readonly string[] }
  | { readonly kind: 'answer'; readonly question: string; readonly text: string }
  | { readonly kind: 'button'; readonly text: string; readonly url: string }
  | { readonly kind: 'code'; readonly text: string; readonly code: string }
  | { readonly kind: 'copy'; readonly text: string; readonly url: string };

export function createLetters(): Letters {
  return { render };
}

function render(letter: Letter): RenderedLetter {
  const catalogue = catalogues[letter.locale];
  const { subject } = textsOf(catalogue, letter);
  const handle = handleOf(letter);
  const handled = handle === null ? subject : `[${handle}] ${subject}`;
  const marked = letter.mode === 'test' ? `[Test] ${handled}` : handled;
  const parts = partsOf(catalogue, letter);
  return {
    from: oneLine(letter.organization.name),
    subject: plain(marked),
    text: `${parts.flatMap(textOf).map(plain).join('\n\n')}\n`,
    html: withExactValues(documentOf(letter, marked, parts), exactNamesIn(letter)),
  };
}

/** The ground and the text of a button, and the name of the sender. */
type MailColors = Readonly<{ accent: string; on: string; name: string }>;

type MailSchemes = Readonly<{ light: MailColors; dark: MailColors }>;

const usualColors: MailSchemes = {
  light: { accent: '#0a5568', on: '#ffffff', name: '#0f1f22' },
  dark: { accent: '#86d0e0', on: '#05222a', name: '#e9f0f1' },
};

/** The palettes of the pages, and so their contrast. */
function colorsOf(letter: Letter): MailSchemes {
  const { accentColor } = letter.organization;
  if (accentColor === null || !isToBuyer(letter)) return usualColors;
  const { light, dark } = accentPalettes(accentColor);
  return { light: { ...light, name: light.accent }, dark: { ...dark, name: dark.accent } };
}

function partsOf(catalogue: LetterCatalogue, letter: Letter): readonly Part[] {
  const { frame } = catalogue;
  const { organization, mode, link, pageUrl } = letter;
  const texts = textsOf(catalogue, letter);
  const { heading = texts.subject, amount = null, paragraphs = [], answers } = texts;
  const details = detailsOf(catalogue, letter);
  const standing = standingOf(catalogue, letter);
  const { lines, others } = invoicesIn(catalogue, letter);
  const listed = others === 0 ? lines : [...lines, frame.moreInvoices(others)];
  const org = oneLine(organization.name);
  const help = frame.help(org, organization.supportEmail, letter.reference);
  const url = link?.url ?? pageUrl;
  const isForBuyer = isToBuyer(letter);
  const open = frame[openingOf(letter)];
  const unexpected = letter.action === null ? frame.unexpected : frame.notAsked;
  return [
    ...(mode === 'test' ? [{ kind: 'test', text: frame.test } as const] : []),
    {
      kind: 'sender',
      name: org,
      // A mail of the service itself.
      via: frame.via.endsWith(` ${org}`) ? '' : frame.via,
      hasLogo: isForBuyer && letter.hasLogo,
    },
    { kind: 'heading', text: heading, amount },
    ...(details === null ? [] : [{ kind: 'note', text: details } as const]),
    ...(listed.length === 0 ? [] : [{ kind: 'list', lines: listed } as const]),
    ...paragraphs.map((text) => ({ kind: 'paragraph', text }) as const),
    ...(standing === null ? [] : [{ kind: 'paragraph', text: standing } as const]),
    ...answersOf(frame.questions, answers, help),
    ...(url === null ? [] : [{ kind: 'button', text: open, url } as const]),
    ...(link === null ? [] : [codePart(frame, link)]),
    ...(isForBuyer ? linkParts(frame, letter) : []),
    ...(isForBuyer ? [{ kind: 'strong', text: frame.neverBankDetails } as const] : []),
    ...(link === null || !isForBuyer ? [] : [{ kind: 'note', text: unexpected } as const]),
    ...((isForBuyer && answers === undefined) || letter.purpose === 'payment_settled'
      ? [{ kind: 'note', text: `${frame.anyQuestions} ${help}` } as const]
      : []),
    ...(url === null ? [] : [{ kind: 'copy', text: frame.copyLink, url } as const]),
  ];
}

function openingOf({ purpose, about, isToMember }: Letter) {
  if (isToMember || purpose === 'question' || isOwnerNotice(purpose)) return 'openDashboard';
  if (purpose === 'payout_changed') return 'stopChange';
  if (purpose === 'payment_settled') return 'openProof';
  return about === null ? 'openForm' : 'openPayment';
}

function answersOf(
  questions: LetterCatalogue['frame']['questions'],
  answers: readonly string[] | undefined,
  help: string,
): readonly Part[] {
  if (answers === undefined) return [];
  const all = [...answers, help];
  return questions.map((question, at) => ({ kind: 'answer', question, text: all[at] ?? '' }));
}

function codePart(frame: LetterCatalogue['frame'], { code, isAsked }: SignInLink): Part {
  return { kind: 'code', text: isAsked ? frame.code : frame.codeOfPage, code };
}

function linkParts(frame: LetterCatalogue['frame'], letter: Letter): readonly Part[] {
  const { link } = letter;
  if (link === null) return [];
  const { isAsked, endsAtMs } = link;
  const untilOf = letter.isToMember ? frame.untilOfMember : frame.until;
  const until = untilOf(formatFor(letter).instant(endsAtMs), isAsked);
  return [
    { kind: 'note', text: until },
    { kind: 'note', text: frame.doNotForward },
  ];
}

/** No-break spaces would make most plain mails non-ASCII. */
function plain(text: string): string {
  return text.replaceAll('\u00a0', ' ');
}

/** A part in the plain text. It has the link once, alone on its line. */
function textOf(part: Part): readonly string[] {
  switch (part.kind) {
    case 'sender':
      return [`${part.name} ${part.via}`.trimEnd()];
    case 'heading':
      return [part.amount === null ? part.text : `${part.text} ${part.amount}`];
    case 'list':
      return [part.lines.join('\n')];
    case 'answer':
      return [`${part.question}\n${part.text}`];
    case 'button':
      return [`${part.text}:\n${part.url}`];
    case 'code':
      return [`${part.text}\n${part.code}`];
    case 'copy':
      return [];
    default:
      return [part.text];
  }
}

const font = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif";
const ink = { class: 'ink', color: 'color:#0f1f22' } as const;
const soft = { class: 'soft', color: 'color:#46585c' } as const;

const darkStyles = ({ accent, on, name }: MailColors) =>
  [
    ':root{color-scheme:light dark;supported-color-schemes:light dark}',
    '@media (prefers-color-scheme:dark){.bg{background:#0d1416!important}',
    '.box{background:#141c1f!important;border-color:#2b393d!important}',
    '.ink{color:#e9f0f1!important}.soft{color:#abbbbf!important}',
    '.cell{background:#1b2629!important}',
    `.go{background:${accent}!important;color:${on}!important}.name{color:${name}!important}`,
    '.test{background:#281b44!important;color:#c8aeff!important}}',
  ].join('');

const boxStyle =
  'max-width:560px;margin:0 auto;padding-bottom:26px;background:#ffffff;' +
  'border:1px solid #d5dede;border-radius:12px;border-collapse:separate';

function documentOf(letter: Letter, title: string, parts: readonly Part[]): string {
  const { light, dark } = colorsOf(letter);
  return renderDocument({
    locale: letter.locale,
    title,
    meta: { 'supported-color-schemes': 'light dark' },
    head: <style>{darkStyles(dark)}</style>,
    children: (
      <body class="bg" style="margin:0;padding:24px 12px;background:#f3f6f6">
        <table
          class="box"
          role="presentation"
          width="100%"
          cellpadding="0"
          cellspacing="0"
          style={boxStyle}
        >
          {parts.map((part) => (
            <Row part={part} colors={light} />
          ))}
        </table>
      </body>
    ),
  });
}

interface CellProps {
  readonly look: typeof ink | typeof soft;
  readonly above: number;
  readonly size?: number;
  readonly bold?: boolean;
  readonly children: VNode | string | readonly (VNode | string)[];
}

function Cell({ look, above, size = 15, bold = false, children }: CellProps) {
  const text = `font-size:${size}px;line-height:${Math.round(size * 1.45)}px`;
  const weight = bold ? ';font-weight:700' : '';
  const style = `${font};padding:${above}px 28px 0;${text};${look.color}${weight}`;
  return (
    <tr>
      <td class={look.class} style={style}>
        {children}
      </td>
    </tr>
  );
}

function Row({ part, colors }: { part: Part; colors: MailColors }) {
  switch (part.kind) {
    case 'test':
      return <TestBar text={part.text} />;
    case 'sender':
      return (
        <Cell look={ink} above={24} bold>
          {part.hasLogo ? <img src={`cid:${logoCid}`} alt="" height={28} style={logoStyle} /> : ''}
          <span class="name" style={`color:${colors.name}`}>
            {part.name}
          </span>{' '}
          <span class="soft" style="font-weight:400;color:#46585c">
            {part.via}
          </span>
        </Cell>
      );
    case 'heading':
      return <Heading text={part.text} amount={part.amount} />;
    case 'list':
      return (
        <Cell look={ink} above={12}>
          {part.lines.flatMap((line) => [line, <br />])}
        </Cell>
      );
    case 'answer':
      return (
        <Cell look={ink} above={14}>
          <b>{part.question}</b>
          <br />
          {part.text}
        </Cell>
      );
    case 'button':
      return <Button text={part.text} url={part.url} colors={colors} />;
    case 'code':
      return <Code text={part.text} code={part.code} />;
    case 'copy':
      return (
        <Cell look={soft} above={12} size={14}>
          {part.text} <span style="word-break:break-all">{part.url}</span>
        </Cell>
      );
    case 'paragraph':
      return (
        <Cell look={ink} above={14}>
          {part.text}
        </Cell>
      );
    default:
      return (
        <Cell
          look={part.kind === 'note' ? soft : ink}
          above={12}
          size={14}
          bold={part.kind === 'strong'}
        >
          {part.text}
        </Cell>
      );
  }
}

const logoStyle = 'display:block;height:28px;max-width:200px;margin-bottom:10px;background:#ffffff';

function TestBar({ text }: { text: string }) {
  const style =
    `${font};padding:10px 28px;font-size:14px;line-height:20px;font-weight:700;` +
    'background:#eee7fb;color:#5629a3;border-radius:11px 11px 0 0';
  return (
    <tr>
      <td class="test" style={style}>
        {text}
      </td>
    </tr>
  );
}

const amountStyle =
  'display:block;font-size:32px;line-height:42px;font-weight:700;white-space:nowrap';

function Heading({ text, amount }: { text: string; amount: string | null }) {
  return (
    <Cell look={ink} above={20}>
      <h1 style="margin:0;font-size:20px;line-height:28px;font-weight:600">
        {text}
        {amount === null ? null : ' '}
        {amount === null ? null : <span style={amountStyle}>{amount}</span>}
      </h1>
    </Cell>
  );
}

function Button({
  text,
  url,
  colors: { accent, on },
}: Readonly<{ text: string; url: string; colors: MailColors }>) {
  const style =
    `${font};display:inline-block;padding:13px 24px;background:${accent};color:${on};` +
    'font-size:16px;line-height:20px;font-weight:600;text-decoration:none;border-radius:8px';
  return (
    <tr>
      <td style="padding:24px 28px 4px">
        <a class="go" href={url} style={style}>
          {text}
        </a>
      </td>
    </tr>
  );
}

function Code({ text, code }: { text: string; code: string }) {
  const style =
    'display:inline-block;margin-top:8px;padding:10px 18px;background:#ecf1f1;border-radius:8px;' +
    'font-family:ui-monospace,Menlo,Consolas,monospace;font-size:26px;line-height:32px;' +
    'font-weight:700;letter-spacing:5px;color:#0f1f22';
  return (
    <Cell look={ink} above={20}>
      {text}
      <br />
      <span class="cell ink" style={style}>
        {code}
      </span>
    </Cell>
  );
}
