// What the documentation does with a script: search, a button that copies each block of code, the
// key of the reader in the examples, and one language for all of them. The key stays in this tab: it
// is written into the page and into the session storage, and is sent nowhere.
const KEY = 'ponte.docs.key';
const LANGUAGE = 'ponte.docs.language';
const FOUND_MAX = 12;
/** Sections of one page. */
const OF_PAGE_MAX = 3;
/** Characters of a text before and after the word that was found. */
const BEFORE = 40;
const AFTER = 80;
const COPIED_MS = 3000;

const all = (selector) => [...document.querySelectorAll(selector)];
const first = (selector) => document.querySelector(selector);

function say(text) {
  first('#says').textContent = text;
}

function copyButtons() {
  if (navigator.clipboard === undefined) return;
  const { copied } = document.body.dataset;
  for (const button of all('[data-copy-code]')) {
    const word = button.firstElementChild;
    const before = word.textContent;
    button.hidden = false;
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(button.previousElementSibling.textContent);
      word.textContent = copied;
      say(`${copied}: ${button.lastElementChild.textContent}`);
      setTimeout(() => {
        word.textContent = before;
        say('');
      }, COPIED_MS);
    });
  }
}

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

/** How well a section answers: it has every word, best in its title, then in its heading. */
function rank([, title, heading, text], words) {
  const places = [title, heading, text].map((place) => place.toLowerCase());
  let points = 0;
  for (const word of words) {
    const at = places.findIndex((place) => place.includes(word));
    if (at === -1) return 0;
    points += [8, 4, 1][at];
    if (at < 2 && places[at].startsWith(word)) points += 2;
  }
  return points;
}

/** The text around the first word that it has. */
function excerpt(text, words) {
  const plain = text.toLowerCase();
  const found = words.map((word) => plain.indexOf(word)).filter((index) => index >= 0);
  const at = found.length === 0 ? 0 : Math.min(...found);
  // From the begin of a word.
  const from = at <= BEFORE ? 0 : text.indexOf(' ', at - BEFORE) + 1;
  const begin = from > at ? at : from;
  const end = text.length <= at + AFTER ? text.length : text.lastIndexOf(' ', at + AFTER);
  const shown = text.slice(begin, end < at ? at + AFTER : end);
  return `${begin === 0 ? '' : '… '}${shown}${begin + shown.length < text.length ? ' …' : ''}`;
}

/** Adds the text to an element, with the words marked. */
function addMarked(element, text, words) {
  const signs = words.map((word) => word.replace(/[\^$.*+?()[\]{}|]/g, '\\$&'));
  text.split(new RegExp(`(${signs.join('|')})`, 'gi')).forEach((part, index) => {
    if (index % 2 === 0) element.append(part);
    else element.appendChild(document.createElement('mark')).textContent = part;
  });
}

function itemOf([path, title, heading, text], words, root) {
  const item = document.createElement('li');
  const link = item.appendChild(document.createElement('a'));
  link.href = `${root}${path}`;
  addMarked(link, heading === '' ? title : `${title}: ${heading}`, words);
  addMarked(link.appendChild(document.createElement('small')), excerpt(text, words), words);
  return item;
}

function best(entries, words) {
  const ranked = entries.map((entry) => [rank(entry, words), entry]);
  const found = ranked.filter(([points]) => points > 0);
  found.sort(([left], [right]) => right - left);
  const ofPage = new Map();
  return found
    .map(([, entry]) => entry)
    .filter(([path]) => {
      const page = path.replace(/#.*/, '');
      const count = (ofPage.get(page) || 0) + 1;
      ofPage.set(page, count);
      return count <= OF_PAGE_MAX;
    });
}

function search() {
  const box = first('[data-finder]');
  const input = first('#find');
  const list = first('#found');
  const root = box.dataset.finder.replace(/assets\/.*$/, '');
  let index = null;
  const load = () => {
    index = index || fetch(box.dataset.finder).then((answer) => answer.json());
    // The next letter tries again.
    index.catch(() => {
      index = null;
    });
    return index;
  };
  const show = async () => {
    const asked = input.value.trim();
    const words = asked
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '');
    const found = words.length === 0 ? [] : best(await load(), words);
    // Something else was typed in the meantime.
    if (input.value.trim() !== asked) return;
    const items = found.slice(0, FOUND_MAX).map((entry) => itemOf(entry, words, root));
    const none = document.createElement('li');
    none.appendChild(document.createElement('p')).textContent = `No page has “${asked}”.`;
    list.replaceChildren(...(items.length === 0 ? [none] : items));
    list.hidden = words.length === 0;
    if (words.length === 0) say('');
    else
      say(items.length === 0 ? none.textContent : `${found.length} results. Arrow down to them.`);
  };
  const close = () => {
    list.hidden = true;
  };
  const keys = {
    Escape: () => {
      close();
      input.focus();
    },
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
  };
  /** Along the field and the results; from the last one to the field. */
  function move(step) {
    const stops = [input, ...all('#found a')];
    const at = stops.indexOf(document.activeElement);
    stops[(at + step + stops.length) % stops.length].focus();
  }
  input.addEventListener('focus', () => {
    load();
    if (input.value !== '') list.hidden = false;
  });
  input.addEventListener('input', show);
  box.addEventListener('keydown', (event) => {
    if (event.target === input && event.key === 'Enter') first('#found a')?.click();
    const act = keys[event.key];
    if (act === undefined || (list.hidden && event.key !== 'Escape')) return;
    event.preventDefault();
    act();
  });
  // Not `focusout`: in Safari a link that is clicked does not take the focus.
  for (const type of ['focusin', 'pointerdown']) {
    document.addEventListener(type, ({ target }) => {
      if (!box.contains(target)) close();
    });
  }
  document.addEventListener('keydown', (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    if (key !== '/' || ctrlKey || metaKey || altKey) return;
    if (target.matches('input, textarea, select')) return;
    event.preventDefault();
    input.focus();
  });
  box.hidden = false;
}

copyButtons();
fillKey();
chooseLanguage();
search();
