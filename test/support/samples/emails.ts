// E-mail addresses as people send them, for every place that takes one: what is kept of each, and
// texts that are none.
export const readableEmails: readonly (readonly [given: string, kept: string])[] = [
  ['a@b.co', 'a@b.co'],
  ['A.B+c@sub.Example.com', 'A.B+c@sub.Example.com'],
  ["o'neil@x.org", "o'neil@x.org"],
  [' a@b.co\r\n', 'a@b.co'],
  ['\t\u00a0ana@example.com\u2028', 'ana@example.com'],
  [`${' '.repeat(300)}a@b.co`, 'a@b.co'],
];

export const unreadableEmails: readonly string[] = [
  '',
  ' ',
  'ana',
  'ana@',
  '@example.com',
  'ana@localhost',
  'a@b@c.co',
  'a@b..co',
  'a@-b.co',
  '.a@b.co',
  'a.@b.co',
  'Ana <a@b.co>',
  'a@b.co, c@d.co',
  'ä@b.co',
  `${'a'.repeat(250)}@b.co`,
  // White space and control characters inside.
  'a b@c.co',
  'a@ b.co',
  'a\t@b.co',
  'a@b.co\nbcc: x@y.co',
  'a@b\r\n.co',
  'a@b.co\u0000',
  'a\u0007@b.co',
  'a\u007f@b.co',
  'a@b\u200b.co',
];
