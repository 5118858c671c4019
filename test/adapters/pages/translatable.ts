// What a translator of a browser or of a mail program may change.
import assert from 'node:assert/strict';
import { Parser } from 'htmlparser2';

/** Amounts, dates, numbers, codes, addresses and ids. */
export const exactForms =
  /[0-9][.,/:-]?[0-9]|\S@\S|:\/\/|\b(?:pi|inv|re|org|acct|key|dst)_[0-9a-z]/;

/** Texts that a translator may change, those of attributes that are shown aside. */
export function translatable(html: string): readonly string[] {
  const kept: boolean[] = [];
  const texts: string[] = [];
  const never = ['title', 'script', 'style'];
  const parser = new Parser({
    onopentag(name, attributes) {
      const isKept = attributes['translate'] === 'no';
      const classes = (attributes['class'] ?? '').split(' ');
      assert.equal(classes.includes('notranslate'), isKept, `${name}: both, or none`);
      kept.push(isKept || never.includes(name) || kept.at(-1) === true);
    },
    onclosetag: () => {
      kept.pop();
    },
    ontext(text) {
      if (kept.at(-1) !== true) texts.push(text);
    },
  });
  parser.end(html);
  return texts;
}
