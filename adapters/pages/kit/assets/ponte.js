// What the pages do with a script; without it everything but passkeys works through links and forms.
// It writes text, and parts of pages that the browser has read from the server, so that it needs no
// policy for trusted types.
const SECOND_MS = 1000;
/** What had the focus before a reload that a change caused: its id, or where it leads. */
const CHANGED = 'ponte.changed';
/** What was typed before the language of the page changed. */
const TYPED = 'ponte.typed';
const SIDE_MAX = 2000;
const BYTES_MAX = 2_500_000;
const PICTURE_MAX = 128;
const RETURN_SECONDS = 10;
const WARN_SECONDS = 120;
/** An answer that comes sooner needs no word. */
const BUSY_MS = 300;

const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const first = (selector, root = document) => root.querySelector(selector);

/** Read out by screen readers. */
function say(text) {
  const region = first('#says');
  if (region !== null) region.textContent = text;
}

/** Calls `step` with the seconds that are left, each second, until it returns false or none is. */
function countDown(seconds, step) {
  const endMs = Date.now() + seconds * SECOND_MS;
  const tick = () => {
    const left = Math.max(0, Math.round((endMs - Date.now()) / SECOND_MS));
    if (step(left) === false || left === 0) clearInterval(timer);
  };
  const timer = setInterval(tick, SECOND_MS);
  tick();
  return () => clearInterval(timer);
}

function copyButtons() {
  if (navigator.clipboard === undefined) return;
  for (const button of all('[data-copy]')) {
    const word = first('span', button);
    const before = word.textContent;
    button.hidden = false;
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(button.dataset.copy);
      word.textContent = document.body.dataset.copied;
      button.classList.add('done');
      say(`${document.body.dataset.copied}: ${button.lastElementChild.textContent.trim()}`);
      setTimeout(() => {
        word.textContent = before;
        button.classList.remove('done');
      }, 3 * SECOND_MS);
    });
  }
}

/** Times in the zone of the reader, with its name. */
function localTimes() {
  const { lang } = document.documentElement;
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' };
  const day = { day: 'numeric', month: 'long', year: 'numeric' };
  const locale = lang === 'en' ? 'en-GB' : lang;
  const times = new Intl.DateTimeFormat(locale, clock);
  const days = new Intl.DateTimeFormat(locale, day);
  for (const time of all('time[data-local]')) {
    const at = new Date(time.dateTime);
    const clockText = times.format(at);
    time.textContent =
      time.dataset.local === 'time' ? clockText : `${days.format(at)}, ${clockText}`;
  }
}

function countdowns() {
  for (const element of all('[data-countdown]')) {
    const texts = element.dataset.say.split('|');
    const moments = [2 * 60, 30, 0];
    element.hidden = false;
    countDown(Number(element.dataset.countdown), (left) => {
      const clock = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
      element.textContent = element.dataset.left.replace('{time}', clock);
      const moment = moments.indexOf(left);
      if (moment >= 0) say(texts[moment]);
      if (left === 0) location.reload();
    });
  }
}

/** Something is typed that a reload would lose. */
function isTyping() {
  const fields = all('input:not([type="hidden"]), select, textarea');
  return fields.some(
    (field) =>
      field === document.activeElement ||
      field.value !== (field.defaultValue ?? field.value) ||
      field.checked !== field.defaultChecked,
  );
}

/** Null in apps that have none, or where people block it. */
function storage() {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}

/** What is typed stays when the language changes, in this tab and until the page is there again. */
function languages() {
  const fields = () =>
    all('input:not([type="hidden"]):not([type="file"]), select, textarea').filter(
      ({ form }) => form !== null && form.method === 'post',
    );
  const kept = storage()?.getItem(TYPED) ?? null;
  storage()?.removeItem(TYPED);
  const { path, typed } = JSON.parse(kept ?? '{}');
  if (path === location.pathname) {
    for (const [at, field] of fields().entries()) {
      const { name, value, checked } = typed[at] ?? {};
      if (name === field.name) Object.assign(field, { value, checked });
    }
  }
  for (const link of all('.langs a')) {
    link.addEventListener('click', () => {
      const now = fields().map(({ name, value, checked }) => ({ name, value, checked }));
      const page = { path: location.pathname, typed: now };
      storage()?.setItem(TYPED, JSON.stringify(page));
    });
  }
  // The other language may be in another tab, or not have come: what is sent is newer.
  document.addEventListener('submit', () => storage()?.removeItem(TYPED));
}

/** The server says only that something changed; it renders the page again. */
function watch() {
  const { live, liveTo, liveSeconds = 0 } = document.body.dataset;
  const load = () => {
    if (isTyping()) setTimeout(load, SECOND_MS);
    else {
      const { activeElement } = document;
      const place = activeElement.id || activeElement.getAttribute('href');
      storage()?.setItem(CHANGED, place ?? '');
      // A reload would send a form again whose answer the page is.
      if (liveTo === undefined) location.reload();
      else location.assign(liveTo);
    }
  };
  const place = storage()?.getItem(CHANGED) ?? null;
  if (place !== null) {
    storage()?.removeItem(CHANGED);
    const link = first(`a[href="${CSS.escape(place)}"]`);
    (document.getElementById(place) ?? link)?.focus({ preventScroll: true });
    say(first('h1').textContent);
    returning();
  }
  if (live === undefined) return;
  const source = new EventSource(live);
  source.addEventListener('open', () => {
    for (const note of all('[data-watching]')) note.hidden = false;
  });
  source.addEventListener('message', ({ data }) => {
    if (data !== 'changed') return;
    source.close();
    // Counted from the begin of the page.
    setTimeout(load, Math.max(0, liveSeconds * SECOND_MS - performance.now()));
  });
}

/**
 * Only where the page was open when the payment settled, and from the moment the reader sees it.
 * A reader who does something on the page stays.
 */
function returning() {
  const note = first('[data-return]');
  if (note === null) return;
  const start = () => {
    note.hidden = false;
    const stop = countDown(RETURN_SECONDS, (left) => {
      if (left === 0) location.assign(note.dataset.return);
    });
    const stay = () => {
      stop();
      note.hidden = true;
    };
    for (const action of ['pointermove', 'pointerdown', 'keydown', 'beforeprint']) {
      addEventListener(action, stay, { once: true });
    }
    first('button', note).addEventListener('click', () => {
      stay();
      first('#main').focus();
    });
  };
  if (document.hasFocus()) start();
  else addEventListener('focus', start, { once: true });
}

/** Any request moves the end of an idle session. */
function sessionWarning() {
  const note = first('[data-session]');
  if (note === null) return;
  const seconds = Number(note.dataset.session);
  const start = () => {
    note.hidden = true;
    return countDown(seconds, (left) => {
      if (left > WARN_SECONDS || !note.hidden) return true;
      note.hidden = false;
      say(first('p', note).textContent);
      return true;
    });
  };
  let stop = start();
  first('button', note).addEventListener('click', async () => {
    const { ok } = await fetch(location.href, { cache: 'no-store' });
    if (!ok) return;
    stop();
    stop = start();
    first('#main').focus();
  });
}

/** A photo as JPEG that every partner takes, without the place where it was taken. */
async function smaller(file) {
  if (!file.type.startsWith('image/') && !/\.hei[cf]$/i.test(file.name)) return file;
  const { createImageBitmap } = window;
  const image = await createImageBitmap?.(file, { imageOrientation: 'from-image' }).catch(
    () => null,
  );
  // The server names the formats that it takes.
  if (!image) return file;
  const scale = Math.min(1, SIDE_MAX / Math.max(image.width, image.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(image.width * scale);
  canvas.height = Math.round(image.height * scale);
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
  for (const quality of [0.9, 0.75, 0.6, 0.4]) {
    const blob = await new Promise((done) => canvas.toBlob(done, 'image/jpeg', quality));
    if (blob !== null && blob.size <= BYTES_MAX) {
      return new File([blob], file.name.replace(/\.\w+$/, '.jpg'), { type: 'image/jpeg' });
    }
  }
  return file;
}

const buttonOf = (form) => first('button:not([type="button"])', form);

/** Browsers from before 2022 have no `requestSubmit`. */
function press(form) {
  buttonOf(form).click();
}

/** One button, in place of the browser's and the one that sends; it has the errors of the file. */
function oneButton(input, button) {
  button.firstChild.data = input.dataset.add;
  for (const name of ['id', 'aria-describedby']) {
    const value = input.getAttribute(name);
    input.removeAttribute(name);
    if (value !== null) button.setAttribute(name, value);
  }
  input.hidden = true;
}

/** Small pictures of what was sent, by where it was sent. The server hands no file back. */
const pictures = new Map();

/** Null of what is no photo. */
async function pictureOf(file) {
  const size = { resizeWidth: PICTURE_MAX, resizeQuality: 'high' };
  const image = await window.createImageBitmap?.(file, size).catch(() => null);
  if (!image) return null;
  const canvas = document.createElement('canvas');
  canvas.className = 'thumb';
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.getContext('2d').drawImage(image, 0, 0);
  return canvas;
}

function uploads() {
  for (const form of all('form[data-upload]')) {
    const input = first('[type="file"]', form);
    const row = form.closest('li') ?? form;
    oneButton(input, buttonOf(form));
    const picture = pictures.get(form.action) ?? null;
    if (picture !== null && first('.ok', row) !== null) row.firstElementChild.prepend(picture);
    // A file that was chosen and not sent would be lost by the next button.
    input.addEventListener('change', () => press(form));
    dropZone(row, form, input);
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      if (input.files.length === 0) {
        input.click();
        return;
      }
      const { name, value } = event.submitter ?? buttonOf(form);
      const file = await smaller(input.files[0]);
      pictures.set(form.action, await pictureOf(file));
      const body = new FormData(form);
      if (name !== '') body.append(name, value);
      body.set(input.name, file, file.name);
      send(form, body);
    });
  }
}

/** A file that is dropped on the row is chosen and sent. */
function dropZone(row, form, input) {
  const { drop = '' } = input.dataset;
  if (drop !== '') {
    const hint = document.createElement('span');
    hint.className = 'small quiet not-touch';
    hint.textContent = drop;
    buttonOf(form).after(hint);
  }
  row.addEventListener('dragover', (event) => {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    row.classList.add('over');
  });
  row.addEventListener('dragleave', () => row.classList.remove('over'));
  row.addEventListener('drop', (event) => {
    event.preventDefault();
    row.classList.remove('over');
    if (event.dataTransfer.files.length === 0) return;
    input.files = event.dataTransfer.files;
    press(form);
  });
}

/** With progress. A refusal is sent again without the script: the server's page explains it. */
function send(form, body) {
  const progress = document.createElement('progress');
  progress.setAttribute('aria-label', first('[type="file"]', form).getAttribute('aria-label'));
  form.append(progress);
  const request = new XMLHttpRequest();
  request.upload.addEventListener('progress', ({ lengthComputable, loaded, total }) => {
    if (lengthComputable) progress.value = loaded / total;
  });
  request.responseType = 'document';
  request.addEventListener('load', () => {
    const { status, response, responseURL } = request;
    if (status >= 400) form.submit();
    else if (response === null || new URL(responseURL).pathname !== location.pathname) {
      location.assign(responseURL);
    } else showAnswer(response, form.action);
  });
  request.addEventListener('error', () => {
    // Without a connection the form would give way to an error page of the browser.
    progress.remove();
    complain(form, form.dataset.upload);
  });
  request.open('POST', form.action);
  request.send(body);
}

/** The same page as it is now, without loading it: pictures stay, and so does the place. */
function showAnswer(page, sentTo) {
  document.body.replaceChildren(...document.adoptNode(page.body).childNodes);
  enliven();
  const form = all('form[data-upload]').find(({ action }) => action === sentTo);
  const row = form?.closest('li');
  if (first('.errors') !== null || !row) return;
  first('summary, button', row)?.focus();
  say(`${first('b', row).textContent}: ${first('.state', row).textContent}`);
}

function complain(form, text) {
  const error = first('[role="alert"]', form) ?? document.createElement('p');
  error.className = 'error';
  error.setAttribute('role', 'alert');
  error.textContent = text;
  form.append(error);
}

/** A slow answer is announced on the button that was pressed, until the page changes. */
function busyForms() {
  for (const form of all('form[method="post"]:not([data-upload], [data-download])')) {
    form.addEventListener('submit', (event) => {
      // The other scripts of the page send these.
      if (event.defaultPrevented) return;
      const button = event.submitter ?? buttonOf(form);
      const before = [...button.childNodes];
      const timer = setTimeout(() => {
        form.setAttribute('aria-busy', 'true');
        button.replaceChildren(document.body.dataset.saving);
        say(document.body.dataset.saving);
      }, BUSY_MS);
      const rest = () => {
        clearTimeout(timer);
        form.removeAttribute('aria-busy');
        button.replaceChildren(...before);
      };
      // Back in the history shows the page as it was left.
      addEventListener('pagehide', rest, { once: true });
    });
  }
}

/** The answer of the browser is a field of the form. */
function passkeys() {
  const isKnown = window.PublicKeyCredential?.parseRequestOptionsFromJSON !== undefined;
  // Browsers make none for an address of numbers.
  if (!isKnown || /^[\d.]+$|^\[/.test(location.hostname)) {
    for (const note of all('[data-no-passkeys]')) note.hidden = false;
    return;
  }
  for (const form of all('form[data-passkey]')) {
    form.hidden = false;
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      try {
        form.elements.answer.value = JSON.stringify(await passkeyOf(form.dataset));
        form.submit();
      } catch {
        // The person chose none, or the page does not take one now.
        complain(form, form.dataset.failed);
      }
    });
  }
}

async function passkeyOf({ passkey, options }) {
  const response = await fetch(options, { cache: 'no-store' });
  // The page needs a younger session, or another one.
  if (response.redirected) location.reload();
  const asked = await response.json();
  const publicKey =
    passkey === 'create'
      ? PublicKeyCredential.parseCreationOptionsFromJSON(asked)
      : PublicKeyCredential.parseRequestOptionsFromJSON(asked);
  return navigator.credentials[passkey]({ publicKey });
}

/** What follows from the fields of a form, as the server writes it. */
function previews() {
  for (const form of all('form[data-preview]')) {
    for (const button of all('.actions [value="preview"]', form)) button.hidden = true;
    let request = new XMLHttpRequest();
    form.addEventListener('change', () => {
      request.abort();
      request = new XMLHttpRequest();
      request.responseType = 'document';
      request.addEventListener('load', ({ target: { response } }) => {
        if (response === null) return;
        for (const part of all('[data-part]', response)) {
          first(`[data-part="${part.dataset.part}"]`)?.replaceWith(document.adoptNode(part));
        }
      });
      const body = new FormData(form);
      for (const { name } of all('[type="file"]', form)) body.delete(name);
      body.set('action', 'preview');
      // A button has the name `action`, too.
      request.open('POST', form.getAttribute('action'));
      request.send(body);
    });
  }
}

/** The preview has the color that is typed. */
function colors() {
  const field = first('#accentColor');
  if (field === null) return;
  field.addEventListener('input', () => {
    const color = field.value.trim();
    if (!/^#[0-9a-f]{6}$/i.test(color)) return;
    for (const part of all('[data-accent]')) part.setAttribute('fill', color);
  });
}

/** A slash leads to the search. */
function searchKey() {
  const field = first('.find input');
  if (field === null) return;
  first('.find kbd').hidden = false;
  document.addEventListener('keydown', (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    if (key !== '/' || ctrlKey || metaKey || altKey) return;
    if (target.matches('input, textarea, select')) return;
    event.preventDefault();
    field.select();
  });
}

function printing() {
  for (const button of all('[data-print]')) {
    button.hidden = false;
    button.addEventListener('click', () => print());
    if (location.hash === '#print') print();
  }
  // Browsers that do not open a closed `details` by style.
  addEventListener('beforeprint', () => {
    for (const details of all('details:not(.testpanel)')) details.open = true;
  });
}

/** What the elements of a page do. */
function enliven() {
  copyButtons();
  localTimes();
  countdowns();
  languages();
  sessionWarning();
  uploads();
  passkeys();
  busyForms();
  previews();
  colors();
  printing();
  first('.errors')?.focus();
}

enliven();
watch();
searchKey();
all('form[data-auto]').forEach(press);
