// The texts in Spanish of what an organization sets up.
import type { SetupTexts } from './setup-en.js';

export const setupEs: SetupTexts = {
  back: 'Primeros pasos',
  start: {
    lede: (done, all) => (done === all ? 'Todo está hecho.' : `${done} de ${all} hechos.`),
    done: 'hecho',
    open: 'pendiente',
    waiting: 'en espera',
    who: 'Quién hace qué',
    whoText:
      'Propietarios y administradores hacen la mayor parte. El destino PIX y el acceso a ' +
      'producción necesitan a un propietario.',
    stuck: '¿No avanza?',
    stuckText: (id) => [
      'El identificador de su organización es ',
      id,
      '. Indíquelo cuando escriba al operador del servicio.',
    ],
    see: 'Ver',
    change: 'Cambiar',
    organization: {
      heading: 'Organización',
      none:
        'Su razón social, CNPJ y dirección, para el proveedor de liquidación. Lleva cinco ' +
        'minutos.',
      sandbox: 'El modo de prueba acepta datos de ejemplo: el proveedor los aprueba al instante.',
      useSandbox: 'Usar datos de ejemplo',
      fill: 'Completar',
      verifying: 'El proveedor de liquidación comprueba los datos. No tiene que hacer nada.',
      approved: (name, day) => `${name}. Aprobada el ${day}.`,
      due: 'El proveedor de liquidación pide algo más.',
      rejected: (reason) =>
        reason === null
          ? 'El proveedor de liquidación no aceptó los datos. Corríjalos y envíelos de nuevo.'
          : `El proveedor de liquidación no aceptó los datos: ${reason}`,
      answer: 'Responder',
      correct: 'Corregir',
    },
    terms: {
      heading: 'Condiciones del proveedor de liquidación',
      open:
        'El proveedor de liquidación tiene condiciones que su organización acepta en la página ' +
        'del proveedor.',
      read: 'Leer y aceptar',
      accepted: (day) => `Aceptadas el ${day}.`,
      notAsked: 'El proveedor de liquidación no pide ninguna aceptación en este modo.',
    },
    pix: {
      heading: 'Destino PIX',
      none: 'Dónde se abonan los pagos sin un vendedor indicado.',
      afterKyb:
        'Dónde se abonan los pagos sin un vendedor indicado. Es posible cuando los datos de ' +
        'arriba estén aprobados.',
      add: 'Indicar',
      is: (shown, day) => `${shown}, desde el ${day}. La clave misma no se guarda aquí.`,
      set: 'Está indicado. La clave misma no se guarda aquí.',
      held: (shown, at) => `El cambio a ${shown} surte efecto el ${at}.`,
    },
    payment: {
      heading: 'Primer pago de prueba',
      none:
        'Creamos uno de USD 250,00 y abrimos su página. Usted lo paga como comprador, sin dinero ' +
        'real.',
      inTest: 'Se hace en el modo de prueba.',
      afterPix: 'Es posible cuando el destino PIX esté indicado.',
      create: 'Crearlo',
      running: (amount, status) => `${amount}: ${status}.`,
      open: 'Abrir su página',
      paid: (amount, day) => `${amount}, pagado el ${day}.`,
    },
    webhook: {
      heading: 'Webhook',
      none: 'Indique una dirección a la que llamamos cuando un pago cambia, y envíele una prueba.',
      add: 'Añadir destino',
      has: (count) => (count === 1 ? '1 destino.' : `${count} destinos.`),
    },
    production: {
      heading: 'Acceso a producción',
      none: 'Díganos qué vende, a quién y cuánto al mes. Decide una persona.',
      ask: 'Solicitarlo',
      askAgain: 'Solicitarlo de nuevo',
      requested: (day) =>
        `Solicitado el ${day}. Decide una persona, y enviamos la respuesta por correo.`,
      refused: (day, reason) => `Rechazado el ${day}: ${reason}`,
      granted: (day) => `Concedido el ${day}. El modo de producción está abierto.`,
      live: 'Ir al modo de producción',
    },
  },
  kyb: {
    heading: 'Datos de la organización',
    lede: 'Como está registrada la empresa. Van al proveedor de liquidación, que los comprueba.',
    testLede: 'El modo de prueba acepta cualquier dato con un CNPJ válido. Estos son de ejemplo.',
    email: (address) => `Las preguntas al respecto van a ${address}.`,
  },
  terms: {
    heading: 'Condiciones del proveedor de liquidación',
    lede: 'Su organización las acepta una vez.',
    leaves: 'El enlace sale de este sitio. La página del proveedor vuelve aquí.',
    open: 'Abrir las condiciones',
    back: 'Aceptó las condiciones en la página del proveedor. Guárdelo.',
    save: 'Guardar la aceptación',
    accepted: 'Su organización ha aceptado las condiciones.',
  },
  pix: {
    heading: 'Destino PIX',
    lede:
      'Los pagos sin un vendedor indicado se abonan a esta clave. Va al proveedor de ' +
      'liquidación y no se guarda aquí.',
    heldLede: (hours) =>
      hours === 0
        ? 'Un cambio surte efecto al instante. Propietarios y administradores reciben un correo.'
        : `Un cambio surte efecto tras ${hours} horas. Propietarios y administradores reciben un ` +
          'correo y pueden detenerlo.',
    history: 'Cambios',
    destination: 'Destino',
    changed: 'Cambiado',
    effective: 'En vigor desde',
    state: 'Estado',
    states: {
      held: 'Retenido',
      effective: 'En vigor',
      stopped: 'Detenido',
      replaced: 'Sustituido',
    },
    key: 'Clave PIX',
    keyHint: 'Correo, teléfono con +55, CPF, CNPJ o clave aleatoria.',
    again: 'La misma clave otra vez',
    againHint: 'Escríbala, no la pegue: así se ve un error al teclear.',
    holder: 'Nombre del titular de la cuenta',
    save: 'Guardar destino',
    noKey: 'Indique la clave PIX.',
    differs: 'Las dos claves son distintas. Escriba ambas de nuevo.',
    noHolder: 'Indique el nombre del titular de la cuenta.',
    refused: 'El proveedor de liquidación no aceptó esta clave. Revísela.',
    notYet: 'Primero deben aprobarse los datos de la organización.',
  },
  production: {
    heading: 'Acceso a producción',
    lede: 'Una persona del operador lee esto y decide. Le enviamos la respuesta por correo.',
    questions: {
      sells: '¿Qué vende?',
      customers: '¿A quién, y en qué países?',
      monthlyVolume: '¿Cuánto al mes, y en qué monedas?',
    },
    contact: 'Contacto de soporte',
    contactText:
      'Los compradores lo ven en sus páginas. El modo de producción necesita al menos uno de ' +
      'los dos.',
    email: 'Correo de soporte',
    phone: 'Teléfono de soporte',
    send: 'Solicitar acceso a producción',
    missing: 'Dé una respuesta de 1.000 caracteres como máximo.',
    noContact: 'Indique un correo o un teléfono para los compradores.',
    notAnAddress: 'No es una dirección de correo.',
    notAPhone: 'No es un número de teléfono.',
  },
  team: {
    lede: (organization) => `Quién puede entrar en el panel de ${organization}.`,
    members: 'Miembros',
    member: 'Miembro',
    role: 'Rol',
    seen: 'Última visita',
    now: 'ahora',
    never: 'todavía no',
    you: 'usted',
    action: 'Acción',
    invitedAt: (at) => `invitado el ${at}`,
    lastOwner: 'El último propietario se queda',
    change: 'Cambiar',
    again: 'Enviar de nuevo',
    invite: 'Invitar a alguien',
    email: 'Dirección de correo',
    send: 'Enviar invitación',
    sendText: 'El enlace del correo permite entrar una vez, durante 24 horas.',
    first: 'Antes comprobamos su buzón.',
    roles: {
      viewer: 'Lector',
      finance: 'Finanzas',
      admin: 'Administrador',
      owner: 'Propietario',
    },
    roleTexts: {
      viewer: 've pagos, facturas y vendedores',
      finance: 'además hace facturas y da de alta vendedores',
      admin: 'además claves, webhooks, equipo y datos de la organización',
      owner: 'además destino PIX, acceso a producción y ajustes',
    },
    notAnAddress: 'Indique una dirección de correo.',
    chooseRole: 'Elija un rol.',
    isMember: 'Esta persona ya es miembro. Cambie el rol en la lista.',
    tooSoon: 'Esta dirección recibió cinco invitaciones en una hora. Inténtelo más tarde.',
    changeHeading: (email) => `Rol de ${email}`,
    changeLede: 'Otro rol vale a partir de la página siguiente.',
    keysText: 'Las claves API de esta persona que el rol no permite se revocan.',
    saveRole: 'Guardar rol',
    removeHeading: 'Quitar del equipo',
    removeText:
      'La sesión de la persona termina en todas partes al instante. Las claves API que creó se ' +
      'revocan.',
    keep: 'Un propietario conserva las claves API',
    keepNobody: 'Revocarlas',
    removeButton: (email) => `Quitar a ${email}`,
    sessions: 'Dónde tiene sesión abierta',
    allSessions: 'Todas sus sesiones',
  },
  settings: {
    lede: 'Valen para ambos modos.',
    changeHeading: 'Cambiar ajustes',
    contact: 'Lo que ven los compradores',
    contactText:
      'En páginas de pago y correos. El modo de producción necesita un correo o un teléfono.',
    supportEmail: 'Correo de soporte',
    supportPhone: 'Teléfono de soporte',
    website: 'Sitio web',
    privacyUrl: 'Aviso de privacidad',
    termsUrl: 'Condiciones',
    reminders: 'Recordar las facturas a los compradores',
    remindersHint:
      'Un correo 3 días antes del vencimiento y ese día, mientras no haya llegado dinero.',
    optional: (label) => `${label} (opcional)`,
    notAnAddress: 'No es una dirección de correo.',
    notAPhone: 'No es un número de teléfono.',
    notAUrl: 'No es una dirección http o https.',
    needsContact: 'El modo de producción necesita un correo o un teléfono.',
    rules: 'Reglas',
    rulesText: 'Aquí estas reglas solo se refuerzan; el operador las relaja.',
    approval: 'Un segundo miembro aprueba las facturas',
    intentApproval: 'Un segundo miembro aprueba las intenciones de pago',
    hold: 'Retención de un destino PIX cambiado en producción, en horas',
    holdHint: (from) =>
      `De ${from} a 72. Los miembros pueden detener un cambio mientras está retenido.`,
    notHours: (from) => `Indique un número entero de ${from} a 72.`,
    save: 'Guardar ajustes',
    none: 'ninguno',
    on: 'sí',
    off: 'no',
    ownersOnly: 'Los propietarios cambian esto.',
  },
};
