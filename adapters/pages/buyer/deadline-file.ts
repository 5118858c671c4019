// The day by which money must arrive, as a calendar file (RFC 5545).
import { DAY_MS, formatInstant } from '../../../core/domain/base/instant.js';
import { helpReference } from '../../../core/domain/payments/display.js';
import type { NamedFile } from '../../../core/ports/outside.js';
import type { PaymentScene } from '../hosted/scene.js';
import { isLastDay, lastWholeDayMs } from '../kit/format.js';
import { fileName } from './payment-file.js';

/** In octets, without the line break. */
const LINE_LENGTH_MAX = 75;
/** A transfer takes up to five working days. */
const ALARM = '-P5D';

/** Null if the partner names no end of the bank details. */
export function deadlineFile({
  view,
  texts,
  format,
  payment,
  payee,
}: PaymentScene): NamedFile | null {
  const payByMs = payment.instructions?.payByMs ?? null;
  if (payByMs === null) return null;
  const { id, links } = payment;
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Ponte//Ponte//EN',
    'BEGIN:VEVENT',
    `UID:${id}`,
    `DTSTAMP:${stamp(view.nowMs)}`,
    ...startOf(payByMs, view.nowMs),
    `SUMMARY:${escaped(texts.files.deadlineTitle(format.money(payment.amount), payee))}`,
    `DESCRIPTION:${escaped(texts.files.deadlineText(helpReference(payment), links.page))}`,
    `URL:${links.page}`,
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    `TRIGGER:${ALARM}`,
    `DESCRIPTION:${escaped(texts.files.deadlineTitle(format.money(payment.amount), payee))}`,
    'END:VALARM',
    'END:VEVENT',
    'END:VCALENDAR',
  ];
  const text = lines.flatMap(folded).join('\r\n');
  return {
    name: fileName(texts.files.deadline, payment, 'ics'),
    type: 'text/calendar; charset=utf-8',
    bytes: Buffer.from(`${text}\r\n`),
  };
}

/** The day that the page names; on that day the instant. */
function startOf(payByMs: number, nowMs: number): readonly string[] {
  if (isLastDay(payByMs, nowMs)) return [`DTSTART:${stamp(payByMs)}`];
  const startMs = lastWholeDayMs(payByMs);
  const day = (atMs: number) => stamp(atMs).slice(0, 'YYYYMMDD'.length);
  return [`DTSTART;VALUE=DATE:${day(startMs)}`, `DTEND;VALUE=DATE:${day(startMs + DAY_MS)}`];
}

function stamp(atMs: number): string {
  return formatInstant(atMs).replace(/[-:]|\.\d+/g, '');
}

function escaped(text: string): string {
  return text
    .replaceAll('\u00a0', ' ')
    .replace(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n');
}

/** Longer lines go on behind a space. */
function folded(line: string): readonly string[] {
  const parts = [''];
  for (const character of line) {
    const part = parts.at(-1) ?? '';
    if (Buffer.byteLength(part + character) > LINE_LENGTH_MAX) parts.push(` ${character}`);
    else parts[parts.length - 1] = part + character;
  }
  return parts;
}
