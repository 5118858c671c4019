// Code on a page of the documentation: a block that scrolls, with a button that copies it, and a
// request in four languages, of which radio buttons show one. A script shows the button, and fills
// in the key of the reader.
import { codeTokens } from './code-tokens.js';
import { type ClientCalls, type ExampleRequest, keyPlace, languages } from './example-request.js';

export function CodeBlock({
  label,
  text,
  language,
}: Readonly<{ label: string; text: string; language: string }>) {
  return (
    <div class="snippet">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls takes the focus */}
      {/* biome-ignore lint/a11y/useSemanticElements: a section has no text that keeps its lines */}
      <pre tabIndex={0} role="region" aria-label={label}>
        {codeTokens(text, language).map((token) =>
          token.kind === null ? (
            <WithKey text={token.text} />
          ) : (
            <span class={`code-${token.kind}`}>
              <WithKey text={token.text} />
            </span>
          ),
        )}
      </pre>
      <button class="btn sm" type="button" data-copy-code hidden>
        <span>Copy</span>
        <span class="vh">{label}</span>
      </button>
    </div>
  );
}

function WithKey({ text }: { readonly text: string }) {
  return text
    .split(keyPlace)
    .map((part, index) => [index === 0 ? null : <b data-key>{keyPlace}</b>, part]);
}

/** `number` is unique on the page. */
export function RequestTabs({
  request,
  number,
  baseUrl,
  callOf,
}: Readonly<{ request: ExampleRequest; number: number; baseUrl: string; callOf: ClientCalls }>) {
  const about = `${request.method} ${request.path}, ${number}`;
  const all = Object.entries(languages);
  return (
    <fieldset class="codetabs">
      <legend class="vh">Language of {about}</legend>
      {all.map(([name], index) => [
        <input
          type="radio"
          name={`language-${number}`}
          id={`language-${number}-${index}`}
          value={name}
          checked={index === 0}
        />,
        <label for={`language-${number}-${index}`}>{name}</label>,
      ])}
      {all.map(([name, write]) => (
        <CodeBlock
          label={`${about} with ${name}`}
          text={write(request, baseUrl, callOf(request))}
          language={name}
        />
      ))}
    </fieldset>
  );
}

/** Where the reader pastes a test key; a script shows it. */
export function KeyField() {
  return (
    <div class="field keyfield" data-keyfield hidden>
      <label for="key">Your test key</label>
      <input
        id="key"
        class="code"
        type="text"
        autocomplete="off"
        spellcheck={false}
        placeholder={keyPlace}
        aria-describedby="key-hint"
      />
      <p class="hint small" id="key-hint" role="status">
        Paste it to fill in the examples. It stays in this tab and is sent nowhere.
      </p>
    </div>
  );
}
