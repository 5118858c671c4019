// What the documentation does with a script: search, the key of the reader in the examples, and one
// language for all of them. The key stays in this tab: it is written into the page and into the
// session storage, and is sent nowhere.
const KEY = 'ponte.docs.key';
const LANGUAGE = 'ponte.docs.language';
const FOUND_MAX = 12;

const all = (selector) => [...document.querySelectorAll(selector)];
const first = (selector) => document.querySelector(selector);

function fillKey() {
  const field = first('[data-keyfield]');
  const input = field?.querySelector('input');
  if (input === undefined) return;
  const hint = first('#key-hint');
  const words = hint.textContent;
  const places = all('[data-key]');
  const empty = input.placeholder;
  const show = () => {
    const text = input.value.trim();
    const isLive = text.startsWith('pk_live_');
    const isKey = /^pk_test_[\w.-]{8,200}$/.test(text);
    for (const place of places) place.textContent = isKey ? text : empty;
    if (isKey) sessionStorage.setItem(KEY, text);
    else sessionStorage.removeItem(KEY);
    if (isLive) input.value = '';
    const warning = isLive
      ? 'That is a live key. Paste a test key, which begins with pk_test_.'
      : words;
    if (hint.textContent !== warning) hint.textContent = warning;
  };
  input.value = sessionStorage.getItem(KEY) ?? '';
  input.addEventListener('input', show);
  field.hidden = false;
  if (input.value !== '') show();
}

function chooseLanguage() {
  const choose = (language) => {
    for (const radio of all('.codetabs > input')) radio.checked = radio.value === language;
  };
  for (const radio of all('.codetabs > input')) {
    radio.addEventListener('change', () => {
      choose(radio.value);
      sessionStorage.setItem(LANGUAGE, radio.value);
    });
  }
  const chosen = sessionStorage.getItem(LANGUAGE);
  if (all('.codetabs > input').some(({ value }) => value === chosen)) choose(chosen);
}

/** How well an entry answers: every word in it, best in the title. */
function rank([, title, about], words) {
  const head = title.toLowerCase();
  const text = `${head} ${about.toLowerCase()}`;
  if (!words.every((word) => text.includes(word))) return 0;
  return (
    1 + words.filter((word) => head.includes(word)).length + (head.startsWith(words[0]) ? 1 : 0)
  );
}

function itemOf([path, title, about], root) {
  const item = document.createElement('li');
  const link = item.appendChild(document.createElement('a'));
  link.href = `${root}${path}`;
  link.textContent = title;
  const small = link.appendChild(document.createElement('small'));
  small.textContent = about.slice(0, 120);
  return item;
}

function search() {
  const box = first('[data-finder]');
  const input = first('#find');
  const list = first('#found');
  const root = box.dataset.finder.replace(/assets\/.*$/, '');
  let index = null;
  const show = async () => {
    const words = input.value
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '');
    index ??= fetch(box.dataset.finder).then((answer) => answer.json());
    const entries = await index;
    const ranked = entries.map((entry) => [rank(entry, words), entry]);
    const found = words.length === 0 ? [] : ranked.filter(([points]) => points > 0);
    found.sort(([left], [right]) => right - left);
    list.replaceChildren(...found.slice(0, FOUND_MAX).map(([, entry]) => itemOf(entry, root)));
    list.hidden = found.length === 0;
    first('#says').textContent = words.length === 0 ? '' : `${found.length} pages found`;
  };
  input.addEventListener('input', show);
  box.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return;
    list.hidden = true;
    input.focus();
  });
  box.hidden = false;
}

fillKey();
chooseLanguage();
search();
