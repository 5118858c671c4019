// Which features of a stylesheet or script the browsers of six years ago lack, by the data of MDN,
// and the stylesheet as they read it: without them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** November 2020. */
const baseline = { chrome: 87, firefox: 83, safari: 14 } as const;

interface Support {
  readonly version_added: string | boolean | null;
  readonly version_removed?: string;
  readonly prefix?: string;
  readonly alternative_name?: string;
  readonly flags?: unknown;
}

interface Feature {
  readonly __compat?: { readonly support: Readonly<Record<string, Support | readonly Support[]>> };
  readonly [name: string]: unknown;
}

type Data = Readonly<Record<'api' | 'css' | 'javascript', Feature>>;

const data = JSON.parse(
  readFileSync(createRequire(import.meta.url).resolve('@mdn/browser-compat-data'), 'utf8'),
) as Data;

function at(path: string): Feature | undefined {
  let found: unknown = data;
  for (const name of path.split('/')) found = (found as Feature | undefined)?.[name];
  return found as Feature | undefined;
}

/** Null: the data does not know it. */
function isOld(feature: Feature | undefined): boolean | null {
  const support = feature?.__compat?.support;
  if (support === undefined) return null;
  return Object.entries(baseline).every(([browser, version]) =>
    [support[browser] ?? []].flat().some(({ version_added: added, ...one }) => {
      const isPlain = !('flags' in one || 'prefix' in one || 'alternative_name' in one);
      const since = typeof added === 'string' ? Number(added.replace('≤', '')) : Number.NaN;
      return isPlain && one.version_removed === undefined && since <= version;
    }),
  );
}

/** A block of declarations or rules; a statement without a block has no body. */
export interface Rule {
  readonly head: string;
  readonly declarations: readonly Declaration[];
  readonly rules: readonly Rule[];
}

interface Declaration {
  readonly property: string;
  readonly value: string;
}

/** The stylesheets of the pages have no strings with braces or semicolons. */
export function parseStyle(text: string): readonly Rule[] {
  const [rules] = rulesIn(text.replace(/\/\*.*?\*\//gs, ''), 0);
  return rules.rules;
}

function rulesIn(text: string, from: number): readonly [Omit<Rule, 'head'>, end: number] {
  const declarations: Declaration[] = [];
  const rules: Rule[] = [];
  let begin = from;
  for (let index = from; index < text.length; index += 1) {
    const sign = text[index];
    const words = text.slice(begin, index).trim().replace(/\s+/g, ' ');
    if (sign === '{') {
      const [body, end] = rulesIn(text, index + 1);
      rules.push({ head: words, ...body });
      index = end;
    } else if (sign === ';' || sign === '}') {
      const colon = words.indexOf(':');
      if (colon > 0) {
        const value = words.slice(colon + 1).trim();
        declarations.push({ property: words.slice(0, colon).trim(), value });
      }
    }
    if (sign === '}') return [{ declarations, rules }, index];
    if (sign === ';' || sign === '{') begin = index + 1;
  }
  return [{ declarations, rules }, text.length];
}

/** What of a selector or at-rule is newer. */
export function newerInHead(head: string): readonly string[] {
  if (head.startsWith('@')) {
    const [, name = ''] = /^@(?:-\w+-)?([\w-]+)/.exec(head) ?? [];
    return isOld(at(`css/at-rules/${name}`)) === false ? [`@${name}`] : [];
  }
  const names = [...head.matchAll(/::?(?!-)([\w-]+)/g)].map(([sign, name = '']) => {
    return [sign, at(`css/selectors/${name}`)] as const;
  });
  const forms: readonly (readonly [form: RegExp, sign: string, path: string])[] = [
    [/:not\([^()]*,/, ':not(list)', 'css/selectors/not/selector_list'],
    [/:nth-child\([^()]* of /, ':nth-child(of)', 'css/selectors/nth-child/of_syntax'],
  ];
  return [
    ...names.flatMap(([sign, feature]) => (isOld(feature) === false ? [sign] : [])),
    ...forms.flatMap(([form, sign, path]) =>
      form.test(head) && isOld(at(path)) === false ? [sign] : [],
    ),
  ];
}

const functions = new Map<string, Feature>();
for (const path of ['css/types', 'css/types/color', 'css/types/image', 'css/types/length']) {
  for (const [name, feature] of Object.entries(at(path) ?? {})) {
    functions.set(name, feature as Feature);
  }
}

/** What of a declaration is newer. */
export function newerIn({ property, value }: Declaration): readonly string[] {
  const feature = at(`css/properties/${property}`);
  const used = [...value.matchAll(/([a-z][\w-]*)\(/g)].map(([, name = '']) => name);
  const keywords = value.split(/[\s,]+/).filter((word) => /^[a-z-]+$/.test(word));
  if (isOld(feature) === false) return [property];
  return [
    ...used.filter((name) => isOld(functions.get(name)) === false).map((name) => `${name}()`),
    ...keywords
      .filter((word) => isOld(feature?.[word] as Feature | undefined) === false)
      .map((word) => `${property}: ${word}`),
  ];
}

/** Newer features by what they are in; with a fallback before it, a declaration has none. */
export function newerFeatures(rules: readonly Rule[]): ReadonlySet<string> {
  const found = rules.flatMap((rule): readonly string[] => {
    const { head, declarations } = rule;
    if (head.startsWith('@supports') && !isSupported(head)) return [];
    const missing = declarations.flatMap((declaration, index) => {
      const newer = newerIn(declaration);
      const { property } = declaration;
      const hasFallback = declarations
        .slice(0, index)
        .some((other) => other.property === property && newerIn(other).length === 0);
      return hasFallback ? [] : newer;
    });
    return [...newerInHead(head), ...missing, ...newerFeatures(rule.rules)];
  });
  return new Set(found);
}

/** The selectors of a list. */
export function selectorsOf({ head }: Rule): readonly string[] {
  let depth = 0;
  const cut = [...head].map((letter) => {
    if (letter === '(') depth += 1;
    if (letter === ')') depth -= 1;
    return letter === ',' && depth === 0 ? '\n' : letter;
  });
  return cut.join('').split('\n');
}

/** Of `@supports`: one declaration or one selector, or that there is none such. */
function isSupported(head: string): boolean {
  const [, not, selector, property, value] =
    /^@supports (not )?(?:selector\((.+)\)|\(([\w-]+): (.+)\))$/.exec(head) ?? [];
  const newer =
    selector === undefined
      ? newerIn({ property: property ?? assert.fail(head), value: value ?? '' })
      : newerInHead(selector);
  return (newer.length === 0) === (not === undefined);
}

/** As a browser of the baseline reads it: what it does not know is dropped. */
export function styleWithout(rules: readonly Rule[]): string {
  return rules
    .filter(({ head }) => newerInHead(head).length === 0)
    .map(({ head, declarations, rules: inner }) => {
      if (head.startsWith('@supports')) return isSupported(head) ? styleWithout(inner) : '';
      const kept = declarations.filter((declaration) => newerIn(declaration).length === 0);
      const lines = kept.map(({ property, value }) => `${property}: ${value};`);
      return `${head} {\n${lines.join('\n')}\n${styleWithout(inner)}}\n`;
    })
    .join('');
}

/** Names of members and globals that no interface of the baseline had. */
export function newerNames(script: string): ReadonlySet<string> {
  const groups = [at('api'), at('javascript/builtins'), at('javascript/builtins/Intl')];
  const owners = groups.flatMap((group) => Object.values(group ?? {}));
  const isNewer = (name: string) => {
    const known = [name, `${name}_static`]
      .flatMap((one) => [...owners.map((owner) => (owner as Feature)[one]), at(`api/${one}`)])
      .map((feature) => isOld(feature as Feature | undefined))
      .filter((answer) => answer !== null);
    return known.length > 0 && known.every((answer) => !answer);
  };
  const code = script.replace(/\/\*.*?\*\/|\/\/[^\n]*/gs, '').replace(/'[^'\n]*'/g, "''");
  const own = new Set([...code.matchAll(/(?:const|function) (\w+)/g)].map(([, name]) => name));
  const used = [...code.matchAll(/(?<=(?<!dataset)\.)\w{2,}|\w{2,}(?=(?:\?\.)?\()/g)].map(
    ([name]) => name,
  );
  return new Set(used.filter((name) => !own.has(name) && isNewer(name)));
}
