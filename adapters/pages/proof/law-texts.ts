// The words of each duty, and the guide "What the law asks" that is made of them.
import type { Locale } from '../../../core/domain/base/locale.js';
import type { Duty } from '../../../core/domain/law/duty.js';

/** `who` files or does it, and by when; `given` is what Ponte gives for it. */
type DutyWords = Readonly<Record<'what' | 'who' | 'given', string>>;

const en = {
  title: 'What the law asks',
  noAdvice:
    'This is not legal or tax advice. The sources are summaries of law firms and of the press, ' +
    'read in November 2026, not the rules themselves. Ask who advises you.',
  lede: 'What Brazil asks around payments from abroad, who does it, and what Ponte gives for it.',
  heads: ['Duty', 'Rule', 'Who, by when', 'What Ponte gives', 'Source'],
  since: (month: string) => `since ${month}`,
  open: 'Open',
  openText: 'The sources leave open whether it concerns these payments, or whom.',
  duties: {
    report: {
      what:
        'Each payment with a stablecoin is reported: asset, quantity, BRL, payer abroad with ' +
        'country, relation, purpose.',
      who:
        'The provider of virtual-asset services, by the 5th business day of the next month; ' +
        'it takes the data from you.',
      given:
        'The extract of a month: `ponte report fx --month`, in the console, and of one ' +
        'organization in its dashboard. With PONTE_PARTNER_REGIME=virtual_assets no payment is ' +
        'created without `purpose` and `payerRelation`.',
    },
    transfer_limit: {
      what:
        'At most USD 100,000 per transfer if the counterpart is not authorised to work in ' +
        'the exchange market.',
      who: 'The provider, with each transfer.',
      given:
        'With PONTE_PARTNER_REGIME=virtual_assets a larger payment is refused (AmountAboveCap), ' +
        'and a transfer for several payments counts as one.',
    },
    authorisation: {
      what: 'Providers are authorised, and tell each other who pays whom (Travel Rule).',
      who: 'The provider.',
      given: 'Payer, payee and wallets in the proof of a payment.',
    },
    efx: {
      what:
        'eFX providers settle by exchange or by a non-resident BRL account, not by virtual ' +
        'assets.',
      who: 'eFX providers; their authorisation by 31 May 2027.',
      given: '`asset` of a settlement shows whether a stablecoin was sold.',
    },
    decripto: {
      what: 'DeCripto: transactions with crypto assets.',
      who:
        'Providers each month; residents that use a foreign provider or none, above BRL ' +
        '35,000 a month.',
      given:
        'The extract of the month in the dashboard, under Accounting. Whether a wallet in the ' +
        'name of a seller counts is open.',
    },
    exemption: {
      what:
        'Exports of services are free of PIS and COFINS if a payer abroad, a conversion of ' +
        'currencies and the link to the service can be shown.',
      who: 'The seller and its accountant, when asked.',
      given: 'The proof of a payment, which ticks each of the three or names what is missing.',
    },
    fiscal_document: {
      what: 'NF-e or NFS-e with the CNPJ, which may have letters.',
      who: 'The seller, with each sale.',
      given: '`fiscalDocument` checks the CNPJ in the key, and the check digit of an NF-e.',
    },
    effective_rate: {
      what: 'The total effective cost (VET) is shown as BRL per unit.',
      who: 'The provider, before the payment.',
      given: '`effectiveRate` of a quote, a receipt and a proof.',
    },
    iof: {
      what:
        'Inflows of exports have IOF at rate zero; a decree about stablecoins was in ' +
        'preparation in March 2026.',
      who: 'The provider.',
      given: 'The BRL of each PIX, and its fees.',
    },
    personal_data: {
      what:
        'A person may see and erase its data; what laws against money laundering order to keep ' +
        'for 5 to 10 years stays.',
      who: 'The operator of this service, when the person asks.',
      given: '`ponte person export` and `ponte person erase`; the books stay.',
    },
  } satisfies Record<Duty, DutyWords>,
};

type LawTexts = typeof en;

const ptBr: LawTexts = {
  title: 'O que a lei pede',
  noAdvice:
    'Isto não é orientação jurídica nem tributária. As fontes são resumos de escritórios de ' +
    'advocacia e da imprensa, lidos em novembro de 2026, não as próprias normas. Consulte quem ' +
    'assessora você.',
  lede: 'O que o Brasil pede em pagamentos do exterior, quem cumpre e o que a Ponte fornece.',
  heads: ['Dever', 'Norma', 'Quem, até quando', 'O que a Ponte fornece', 'Fonte'],
  since: (month) => `desde ${month}`,
  open: 'Em aberto',
  openText: 'As fontes deixam em aberto se o dever alcança estes pagamentos, ou a quem.',
  duties: {
    report: {
      what:
        'Cada pagamento com stablecoin é informado: ativo, quantidade, BRL, pagador no ' +
        'exterior com país, relação e finalidade.',
      who:
        'O prestador de serviços de ativos virtuais, até o 5º dia útil do mês seguinte; ele ' +
        'pede os dados a você.',
      given:
        'O extrato do mês: `ponte report fx --month`, no console, e de uma organização no painel ' +
        'dela. Com PONTE_PARTNER_REGIME=virtual_assets nenhum pagamento é criado sem `purpose` e ' +
        '`payerRelation`.',
    },
    transfer_limit: {
      what:
        'No máximo USD 100.000 por transferência se a contraparte não é autorizada a operar ' +
        'no mercado de câmbio.',
      who: 'O prestador, em cada transferência.',
      given:
        'Com PONTE_PARTNER_REGIME=virtual_assets um pagamento maior é recusado (AmountAboveCap), ' +
        'e uma transferência para vários pagamentos conta como uma.',
    },
    authorisation: {
      what:
        'Os prestadores precisam de autorização e informam uns aos outros quem paga a quem ' +
        '(Travel Rule).',
      who: 'O prestador.',
      given: 'Pagador, recebedor e carteiras no comprovante do pagamento.',
    },
    efx: {
      what:
        'Prestadores de eFX liquidam por câmbio ou por conta em BRL de não residente, não ' +
        'por ativos virtuais.',
      who: 'Prestadores de eFX; autorização até 31 de maio de 2027.',
      given: '`asset` de uma liquidação mostra se uma stablecoin foi vendida.',
    },
    decripto: {
      what: 'DeCripto: operações com criptoativos.',
      who:
        'Prestadores, todo mês; residentes que usam prestador estrangeiro ou nenhum, acima ' +
        'de BRL 35.000 por mês.',
      given:
        'O extrato do mês no painel, em Contabilidade. Está em aberto se conta uma carteira em ' +
        'nome do vendedor.',
    },
    exemption: {
      what:
        'Exportações de serviços são isentas de PIS e COFINS se o pagador no exterior, a ' +
        'conversão de moedas e o vínculo com o serviço puderem ser comprovados.',
      who: 'O vendedor e seu contador, quando o fisco pedir.',
      given: 'O comprovante do pagamento, que marca cada um dos três ou diz o que falta.',
    },
    fiscal_document: {
      what: 'NF-e ou NFS-e com o CNPJ, que pode ter letras.',
      who: 'O vendedor, em cada venda.',
      given: '`fiscalDocument` confere o CNPJ na chave e o dígito verificador da NF-e.',
    },
    effective_rate: {
      what: 'O valor efetivo total (VET) é mostrado em BRL por unidade.',
      who: 'O prestador, antes do pagamento.',
      given: '`effectiveRate` da cotação, do recibo e do comprovante.',
    },
    iof: {
      what:
        'Ingressos de exportações têm IOF à alíquota zero; um decreto sobre stablecoins ' +
        'estava em preparação em março de 2026.',
      who: 'O prestador.',
      given: 'O BRL de cada PIX e suas tarifas.',
    },
    personal_data: {
      what:
        'A pessoa pode ver e apagar seus dados; fica o que as leis contra a lavagem de dinheiro ' +
        'mandam guardar por 5 a 10 anos.',
      who: 'O operador deste serviço, quando a pessoa pede.',
      given: '`ponte person export` e `ponte person erase`; os livros ficam.',
    },
  },
};

const es: LawTexts = {
  title: 'Lo que pide la ley',
  noAdvice:
    'Esto no es asesoría legal ni tributaria. Las fuentes son resúmenes de estudios jurídicos y ' +
    'de la prensa, leídos en noviembre de 2026, no las normas mismas. Consulte a quien lo asesora.',
  lede: 'Lo que Brasil pide en pagos del exterior, quién lo cumple y qué da Ponte.',
  heads: ['Deber', 'Norma', 'Quién, hasta cuándo', 'Qué da Ponte', 'Fuente'],
  since: (month) => `desde ${month}`,
  open: 'Abierto',
  openText: 'Las fuentes dejan abierto si el deber alcanza estos pagos, o a quién.',
  duties: {
    report: {
      what:
        'Cada pago con stablecoin se informa: activo, cantidad, BRL, pagador en el exterior ' +
        'con país, relación y finalidad.',
      who:
        'El proveedor de servicios de activos virtuales, hasta el 5.º día hábil del mes ' +
        'siguiente; le pide los datos a usted.',
      given:
        'El extracto del mes: `ponte report fx --month`, en la consola, y de una organización en ' +
        'su panel. Con PONTE_PARTNER_REGIME=virtual_assets no se crea ningún pago sin `purpose` ' +
        'y `payerRelation`.',
    },
    transfer_limit: {
      what:
        'Como máximo USD 100.000 por transferencia si la contraparte no está autorizada a ' +
        'operar en el mercado de cambio.',
      who: 'El proveedor, en cada transferencia.',
      given:
        'Con PONTE_PARTNER_REGIME=virtual_assets se rechaza un pago mayor (AmountAboveCap), y ' +
        'una transferencia para varios pagos cuenta como una.',
    },
    authorisation: {
      what:
        'Los proveedores necesitan autorización y se informan entre sí quién paga a quién ' +
        '(Travel Rule).',
      who: 'El proveedor.',
      given: 'Pagador, beneficiario y billeteras en el comprobante del pago.',
    },
    efx: {
      what:
        'Los proveedores de eFX liquidan por cambio o por cuenta en BRL de no residente, no ' +
        'por activos virtuales.',
      who: 'Proveedores de eFX; autorización hasta el 31 de mayo de 2027.',
      given: '`asset` de una liquidación muestra si se vendió una stablecoin.',
    },
    decripto: {
      what: 'DeCripto: operaciones con criptoactivos.',
      who:
        'Proveedores, cada mes; residentes que usan un proveedor extranjero o ninguno, por ' +
        'encima de BRL 35.000 al mes.',
      given:
        'El extracto del mes en el panel, en Contabilidad. Está abierto si cuenta una billetera ' +
        'a nombre del vendedor.',
    },
    exemption: {
      what:
        'Las exportaciones de servicios están exentas de PIS y COFINS si se pueden mostrar ' +
        'un pagador en el exterior, la conversión de monedas y el vínculo con el servicio.',
      who: 'El vendedor y su contador, cuando el fisco lo pida.',
      given: 'El comprobante del pago, que marca cada uno de los tres o dice qué falta.',
    },
    fiscal_document: {
      what: 'NF-e o NFS-e con el CNPJ, que puede tener letras.',
      who: 'El vendedor, en cada venta.',
      given: '`fiscalDocument` comprueba el CNPJ en la clave y el dígito verificador de la NF-e.',
    },
    effective_rate: {
      what: 'El valor efectivo total (VET) se muestra en BRL por unidad.',
      who: 'El proveedor, antes del pago.',
      given: '`effectiveRate` de la cotización, del recibo y del comprobante.',
    },
    iof: {
      what:
        'Los ingresos de exportaciones tienen IOF a tasa cero; un decreto sobre stablecoins ' +
        'estaba en preparación en marzo de 2026.',
      who: 'El proveedor.',
      given: 'El BRL de cada PIX y sus comisiones.',
    },
    personal_data: {
      what:
        'La persona puede ver y borrar sus datos; queda lo que las leyes contra el lavado de ' +
        'dinero mandan guardar de 5 a 10 años.',
      who: 'El operador de este servicio, cuando la persona lo pide.',
      given: '`ponte person export` y `ponte person erase`; los libros quedan.',
    },
  },
};

export const lawTexts: Readonly<Record<Locale, LawTexts>> = { en, 'pt-BR': ptBr, es };
