// The roles of members as people read them, in pages and mails.
import type { MemberRole } from '../../../core/domain/access/member.js';
import type { Locale } from '../../../core/domain/base/locale.js';

export const roleNames: Readonly<Record<Locale, Readonly<Record<MemberRole, string>>>> = {
  en: { viewer: 'Viewer', finance: 'Finance', admin: 'Admin', owner: 'Owner' },
  'pt-BR': {
    viewer: 'Leitor',
    finance: 'Financeiro',
    admin: 'Administrador',
    owner: 'Proprietário',
  },
  es: { viewer: 'Lector', finance: 'Finanzas', admin: 'Administrador', owner: 'Propietario' },
};
