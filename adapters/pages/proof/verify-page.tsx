// verify.html, which is in each pack: one file that checks packs without a network, also where
// scripts of other origins are off. Its policy names the digest of its one script.
import { hash } from 'node:crypto';
import { assetText } from '../kit/assets.js';
import { renderDocument } from '../kit/pages/page-document.js';
import { proofTexts } from './proof-texts.js';

const page = `
const texts = TEXTS;
const language = navigator.language.toLowerCase();
const name = Object.keys(texts).find((one) => language.startsWith(one.slice(0, 2))) ?? 'en';
const words = texts[name];
document.documentElement.lang = name;
document.title = words.title;
for (const id of ['title', 'lede', 'choose']) document.getElementById(id).textContent = words[id];
const result = document.getElementById('result');
document.getElementById('file').addEventListener('change', async ({ target }) => {
  const [file] = target.files;
  if (file === undefined) return;
  const lines = [];
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const { manifest, key } = await verifyPack(bytes);
    result.className = 'ok';
    lines.push(words.genuine, manifest.kind + ' ' + manifest.subject, manifest.issuer);
    lines.push(words.compare, manifest.keys, key.kid + ' ' + key.x);
  } catch (problem) {
    result.className = 'bad';
    lines.push(words.notGenuine, problem.message);
  }
  result.replaceChildren(...lines.map((line) => {
    const shown = document.createElement('p');
    shown.textContent = line;
    return shown;
  }));
});
`;

const style = `
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 42rem; margin: 2rem auto; padding: 0 1rem }
#result { margin-top: 1.5rem; padding: 0 1rem; overflow-wrap: anywhere; border-left: 4px solid }
#result:empty { display: none }
#result p:first-child { font-weight: 700 }
.ok { border-color: #19704b } .bad { border-color: #a5281d }
`;

let made: string | null = null;

export function verifyPage(): string {
  made ??= write();
  return made;
}

function write(): string {
  const languages = Object.entries(proofTexts).map(([locale, { verify }]) => [locale, verify]);
  const texts = JSON.stringify(Object.fromEntries(languages), null, 1);
  const script = `${assetText('verify-pack.js')}${page.replace('TEXTS', () => texts)}`;
  const digest = (text: string) => `'sha256-${hash('sha256', text, 'base64')}'`;
  const policy = `default-src 'none'; script-src ${digest(script)}; style-src ${digest(style)}`;
  const words = proofTexts.en.verify;
  return renderDocument({
    locale: 'en',
    title: words.title,
    meta: {},
    head: [
      <meta http-equiv="Content-Security-Policy" content={policy} />,
      <style dangerouslySetInnerHTML={{ __html: style }} />,
    ],
    children: (
      <body>
        <h1 id="title">{words.title}</h1>
        <p id="lede">{words.lede}</p>
        <p>
          <label for="file" id="choose">
            {words.choose}
          </label>{' '}
          <input type="file" id="file" accept=".zip" />
        </p>
        <div id="result" role="status" />
        <script type="module" dangerouslySetInnerHTML={{ __html: script }} />
      </body>
    ),
  });
}
