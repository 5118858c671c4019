// Texts that break naive code: control characters, lone surrogates, right-to-left marks, characters
// that change length with their case, injections, and for each format values just outside it.

export const hostileTexts: readonly string[] = [
  ...['', ' ', '\t', '\n', 'a\r\nX-Evil: 1', '\0', 'a\0b', '\ud800', 'a\udc00\ud800b', '\ufeffa'],
  ...['\u202eabc', '\u200b', '\u2028', '😀', '👩‍👩‍👧', 'İ', 'ß', 'ſ', '１２', 'e\u0301'.repeat(90)],
  ...['__proto__', 'constructor', 'null', 'NaN', '-0', '0x10', '1e3', 'true', '[object Object]'],
  ...["' or 1=1 --", '"; drop table payments; --', '%', '_', '\\', '%00', '%s', '$' + '{7*7}'],
  ...['../../etc/passwd', '<script>alert(1)</script>', 'ext_', 'Fail', 'a'.repeat(300)],
];

export const hostileByFormat: Readonly<Record<string, readonly string[]>> = {
  email: [
    ...['ana', 'ana@', '@example.com', 'ana@example', ' ana@example.com ', 'ana@example.com\r\n'],
    ...['ana @example.com', 'ANA@EXAMPLE.COM', 'İ@example.com', 'ana@exämple.com', 'a@b@c.com'],
    ...['"a b"@example.com', 'ana+tag@example.com', `${'a'.repeat(250)}@example.com`, 'a@[::1]'],
  ],
  uri: [
    ...['javascript:alert(1)', 'http://', 'https://', '//a.b', 'ftp://a.b/c', 'https://a b', 'a'],
    ...['https://user:pw@a.b', 'https://127.0.0.1', 'https://[::1]/', 'https://a.b:99999'],
    ...['https://a.b/\0', 'https://a.b/😀', 'https://a.b/%ZZ', `https://a.b/${'a'.repeat(2_048)}`],
    'HTTPS://A.B',
  ],
  date: ['2030-02-30', '30-01-31', '2030-1-1', '2030-01-31T00:00:00Z', '0000-00-00', '+2030-01-01'],
  'date-time': [
    ...['2030-02-30T00:00:00Z', '2030-01-31', '2030-01-31T12:00:00', '2030-01-31T24:00:00Z'],
    ...['2030-06-30T23:59:60Z', '9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59-23:59', '1e12'],
    ...['0000-01-01T00:00:00Z', '+012030-01-01T00:00:00Z', '2030-01-31t12:00:00z'],
    ...['2030-01-31T12:00:00.0000000001+00:00', '2030-01-31T12:00:00+24:00'],
  ],
};

/** Around the form and the minimum of amounts. */
export const hostileAmounts: readonly string[] = [
  ...['10.00', '9.99', '0', '0.00', '-10.00', '+10.00', '1e3', '10.001', '10.', '.50', '010.00'],
  ...['999999999999.99', '1000000000000', '10,00', '10.0', '1 000.00', '١٠.٠٠', 'Infinity'],
];
