// Brazilian Portuguese texts of the hosted pages.
import { frameTexts, prose } from '../../kit/frame-texts.js';
import { emailTexts } from '../../kit/pages/email-texts.js';
import type { Catalogue } from './en.js';
import { ptBrMoney } from './pt-br-money.js';

export const ptBr = {
  ...ptBrMoney,
  frame: {
    ...frameTexts['pt-BR'],
    pageBy: 'Página de pagamento da',
    testBar: 'Nenhum valor real é movimentado.',
    testAccount: 'Esta é uma conta de teste: não envie nada para ela.',
    title: (heading, payee) => `${heading} – Pagar a ${payee}`,
    progress: 'Andamento',
    done: 'concluído: ',
    thisPayment: 'Este pagamento',
    to: 'Para',
    purpose: 'Referente a',
    logo: (name) => `Logotipo de ${name}`,
    vendorPapersFile: 'Baixar todos (ZIP)',
    vendorPapersNote:
      'Formulário fiscal, cartas e registro para o seu cadastro de fornecedor, como foram ' +
      'enviados pelos titulares.',
    purchaseOrder: 'Ordem de compra',
    buyerReference: 'Sua referência',
    help: 'Ajuda',
    helpText: (org, reference) =>
      prose`Dúvidas sobre este pagamento? Fale com ${org} e informe a referência ${reference}.`,
    helpForm: (org) => `Fale com ${org} se tiver dúvidas sobre esta página.`,
    neverMailed: 'Nunca enviamos dados bancários por e‑mail.',
    verify: 'Conferir dados bancários',
    privacy: 'Privacidade',
    terms: 'Termos de uso',
    downloadPdf: 'Baixar em PDF',
    printOrSave: 'Imprimir ou salvar em PDF',
    sessionEnds: 'Sua sessão termina em 2 minutos.',
    stay: 'Continuar conectado',
    you: 'Você',
    partner: 'Parceiro de liquidação',
    or: (items) => new Intl.ListFormat('pt-BR', { type: 'disjunction' }).format(items),
  },
  files: {
    receipt: 'recibo',
    instructions: 'dados-bancarios',
    remittance: 'aviso-de-remessa',
    deadline: 'prazo',
    deadlineTitle: (amount, payee) => `${amount} para ${payee}: último dia para chegar`,
    deadlineText: (reference, page) =>
      `Referência ${reference}. Os dados bancários estão na página: ${page}`,
    addDeadline: 'Adicionar ao calendário',
  },
  share: {
    link: 'Enviar a um colega',
    heading: 'Mostrar os dados bancários a um colega',
    lede:
      'Quem tem o link vê o valor, a referência e os dados bancários deste pagamento e não pode ' +
      'mudar nada. Ele funciona até o pagamento terminar, por 14 dias no máximo.',
    make: 'Criar um link',
    made: 'Envie este link ao seu colega',
    madeText: 'Ele aparece só aqui, uma única vez.',
    url: 'Link para enviar',
    list: 'Links abertos',
    none: 'Nenhum link está aberto.',
    seen: 'Aberto pela última vez',
    never: 'ainda não',
    until: 'Funciona até',
    end: 'Encerrar este link',
    full: 'No máximo 5 links ficam abertos. Encerre um deles antes.',
  },
  approval: {
    link: 'Pedir antes a aprovação de um colega',
    heading: 'Peça a um colega que aprove este pagamento',
    lede:
      'Enviamos por e‑mail ao seu colega um link que mostra o recebedor, o valor e os itens. A ' +
      'cotação só pode ser confirmada depois que ele aprovar.',
    stays:
      'Isso não pode ser desfeito neste pagamento. Você pode pedir a outra pessoa, mas ninguém ' +
      'confirma sem uma aprovação.',
    email: 'E‑mail do seu colega',
    problems: {
      ...emailTexts['pt-BR'],
      own: 'Este é o seu próprio endereço. Outra pessoa precisa aprovar.',
    },
    send: 'Pedir a aprovação',
    again: 'Pedir de novo, ou pedir a outra pessoa',
    waits: (who, when) => prose`${who} ainda não aprovou este pagamento. Você pediu em ${when}.`,
    waitsText: 'Com a aprovação, você pode confirmar a cotação. Avisamos por e‑mail da decisão.',
    by: 'Aprovado por',
    given: (who, when) => prose`${who} aprovou este pagamento em ${when}.`,
    declined: (who, when) => prose`${who} recusou este pagamento em ${when}.`,
    declinedText: 'Sem uma aprovação, você não pode confirmá-lo.',
    reason: (reason) => prose`O motivo: ${reason}`,
    colleague: 'seu colega',
    sendHint:
      'Ele vai para o endereço que seu colega informou. Os itens só aparecem depois da entrada.',
    decide: (payee) => `Aprovar o pagamento a ${payee}?`,
    asks: (buyer) => `${buyer} quer pagar e pede antes a sua aprovação.`,
    rule: (amount, payee) =>
      `O valor pago continua ${amount}, com as tarifas incluídas. Quanto ${payee} recebe em BRL ` +
      'segue o câmbio: seu colega confirma a cotação depois da sua aprovação.',
    approve: (amount) => `Aprovar ${amount}`,
    approveHint: 'Aprovar não paga nada. Seu colega confirma e faz a transferência.',
    decline: 'Recusar',
    why: 'Por que você recusa?',
    whyHint: 'Seu colega vê o texto. No máximo 500 caracteres.',
    refused: 'Escreva o motivo em até 500 caracteres.',
    declineIt: 'Recusar este pagamento',
    didApprove: 'Você aprovou este pagamento',
    didDecline: 'Você recusou este pagamento',
    didText: (buyer) => `Avisamos ${buyer}. Você não precisa fazer mais nada.`,
    over: 'Este pagamento não precisa mais de aprovação',
    overText: 'Ele terminou, ou a cotação não está mais aberta.',
  },
  question: {
    link: 'Fazer uma pergunta',
    heading: 'Pergunte sobre este pagamento',
    lede: (org, email) => `Ela vai para ${org} por e‑mail, e a resposta chega em ${email}.`,
    label: 'Sua pergunta',
    hint: 'No máximo 500 caracteres. Não envie dados bancários nem documentos.',
    refused: 'Escreva sua pergunta em até 500 caracteres.',
    send: 'Enviar a pergunta',
  },
  payments: {
    all: 'Todos os meus pagamentos',
    open: (count) => `Você tem ${count} pagamentos em aberto`,
    heading: (org, period) => `Seus pagamentos com ${org} em ${period}`,
    none: 'Não há pagamentos neste período.',
    newest: 'Estes são os mais recentes deste período. O arquivo contém todos.',
    period: 'Período',
    show: 'Mostrar',
    created: 'Cobrado em',
    states: { open: 'Em aberto', over: 'Encerrado' },
    currency: 'Moeda',
    taxId: 'Identificação fiscal do recebedor',
    csv: 'Baixar em CSV',
    file: 'pagamentos',
    choose: (payment) => `Escolher ${payment}`,
    chooseHint:
      'Você pode pagar vários pagamentos em aberto com uma só transferência: escolha dois ou ' +
      'mais para o mesmo recebedor e na mesma moeda.',
    chooseAll: (count) => `Escolher todos os ${count} do mesmo recebedor.`,
    unopened: (count) =>
      `${count === 1 ? 'Um pagamento espera' : `${count} pagamentos esperam`} sua entrada. ` +
      'Podemos pedir o código do nosso e-mail.',
    openAll: 'Entrar em todos',
    someNotTogether:
      'Um pagamento sem caixa não pode ser pago assim: falta a verificação ou aprovação, ' +
      'o dinheiro está a caminho ou chegou, ou o recebedor ou a moeda é outra.',
    notTogether:
      'Não podem ser pagos com uma só transferência: pague cada um com os seus próprios dados.',
    payChosen: 'Pagar os escolhidos com uma só transferência',
  },
  journey: {
    signIn: 'Acesso',
    payer: 'Quem paga',
    price: 'Cotação',
    transfer: 'Transferência',
    paid: 'Pago',
  },
  answers: {
    money: 'Onde está o meu dinheiro?',
    next: 'O que acontece agora?',
    todo: 'O que devo fazer, ou não fazer?',
    ask: 'Com quem falo?',
    org: (org, reference) => prose`${org}, referência ${reference}`,
    nothing: 'Você não pagou nada.',
    nothingYet: 'Você ainda não pagou nada.',
    received: (amount, partner) => `${partner} está com ${amount} que você enviou.`,
    closed: 'Este pagamento está encerrado. Nada mais acontece aqui.',
    mailed: 'Avisamos por e‑mail quando terminar.',
    doNothing: 'Não é preciso fazer nada. Você pode fechar esta página.',
    notYet:
      'Não envie dinheiro ainda: você ainda não tem dados bancários, e os que chegarem por ' +
      'e‑mail não são nossos.',
    notAgain: 'Não pague novamente.',
    notOldDetails: 'Não use mais os dados bancários antigos.',
    otherWay: (payee) => `Peça a ${payee} outra forma de pagar.`,
    arrives: 'Se você enviou dinheiro, ele volta para você.',
  },
  ask: {
    heading: (payee) => `${payee} solicita o pagamento de`,
    over: (payee) => `Pagamento a ${payee}:`,
    send: 'Enviar link de acesso',
    sendHint: (org) =>
      `Ele vai para o e‑mail que ${org} tem cadastrado. Só depois do acesso mostramos os itens e ` +
      'os dados bancários.',
    closed: 'Esta cobrança está encerrada. Não há nada a pagar.',
    paidHint: 'Acesse para ver a situação deste pagamento e o seu recibo.',
    how: 'Como funciona',
    steps: [
      <>
        <b>Acesse</b> pelo link do e‑mail. Sem senha. <span class="quiet">1 minuto</span>
      </>,
      <>
        <b>Informe quem está pagando.</b> A lei exige, apenas na primeira vez.{' '}
        <span class="quiet">Cerca de 10 minutos</span>
      </>,
      <>
        <b>Confira a cotação</b> e veja quanto o recebedor vai receber.{' '}
        <span class="quiet">1 minuto</span>
      </>,
      <>
        <b>Faça uma transferência bancária</b> do seu próprio banco.{' '}
        <span class="quiet">Leva de 1 a 5 dias úteis para chegar</span>
      </>,
    ],
    who: (org) => `Quem é ${org}?`,
    whoText: (org, payee) =>
      org === payee
        ? `${org} recebe este pagamento por meio da Ponte.`
        : `${org} recebe este pagamento para ${payee} por meio da Ponte.`,
  },
  sent: {
    heading: 'Verifique o seu e‑mail',
    lede: (org) =>
      `Um link está a caminho do e‑mail que ${org} tem cadastrado. Ele funciona por pelo menos ` +
      '15 minutos.',
    noMail: 'Não recebeu o e‑mail?',
    spam: 'Procure na pasta de spam.',
    wait: 'Peça outro. Se for cedo demais, esta página diz quando você pode.',
    address: (org) =>
      `Pergunte a ${org} qual endereço está cadastrado. Não podemos alterá-lo aqui.`,
    again: 'Enviar outro link',
  },
  enter: {
    heading: (email) => `Continuar como ${email}?`,
    request: (payee, amount, org) => (
      <>
        Você está prestes a abrir uma cobrança de {payee} no valor de {amount}. Foi {org} que a
        enviou a você.
      </>
    ),
    approval: (payee, amount) => (
      <>
        Você está prestes a abrir um pagamento a {payee} no valor de {amount}. Um colega pede a sua
        aprovação.
      </>
    ),
    form: (org) =>
      `Você está prestes a abrir um formulário que ${org} pede que você preencha: ele diz quem ` +
      'você é.',
    notYou: (
      <>
        <b>Não é você?</b> Feche esta página, nada acontece. O acesso só começa quando você clica em
        Continuar.
      </>
    ),
  },
  linkEnded: {
    lede: 'Nada foi pago nem alterado.',
    sendTo: (email) => `Enviar um novo link para ${email}`,
    send: 'Enviar um novo link',
    money: 'Você não pagou nada com este link.',
    used: (when) => prose`Ele foi aberto em ${when}. Cada link funciona uma vez.`,
    over: (when) => prose`Ele expirou em ${when}.`,
    unknown: 'Talvez um mais novo o tenha substituído, ou uma parte dele se perdeu no caminho.',
    next: 'Um novo chega em cerca de um minuto e funciona por pelo menos 15 minutos.',
    notYou: (org) =>
      `Se não foi você quem o abriu, avise ${org}. Caso contrário, peça um novo link.`,
    todo: 'Peça um novo link. Não é preciso recomeçar.',
  },
  kyc: {
    heading: 'Informe quem está pagando',
    lede: 'Leva cerca de 10 minutos, apenas na primeira vez.',
    why: 'Por que perguntamos',
    whyText:
      'A lei exige que nós e o nosso parceiro de liquidação saibamos quem paga e a quem o ' +
      'pagador pertence. O parceiro confere o que você envia. Os arquivos são apagados após a ' +
      'decisão.',
    hand: 'Tenha em mãos',
    company: 'Para uma empresa',
    companyList: [
      'O número de registro e a data de constituição',
      'Um documento de constituição e um que mostre quem são os sócios',
      'De cada sócio com 25% ou mais, e de uma pessoa que dirige a empresa: passaporte, foto do ' +
        'rosto, comprovante de endereço',
    ],
    person: 'Para uma pessoa',
    personList: ['Seu passaporte ou documento de identidade', 'Uma foto do seu rosto'],
    notAlone:
      'Você não precisa ter tudo: os sócios e administradores podem enviar os próprios ' +
      'documentos por um link, e você nunca os vê.',
    saved: 'Cada etapa fica salva. Você pode parar e voltar depois.',
    start: 'Começar',
    resume: 'Continuar o formulário',
    facts: {
      heading: 'Você já foi verificado antes?',
      lede:
        'Sua identidade foi verificada para um pagamento anterior. Confirme dois dados ' +
        'dela e não será preciso verificar de novo.',
      born: 'Data de nascimento, ou de constituição da empresa',
      bornHint: 'Ano, mês, dia: 1990-01-31.',
      number: 'Número fiscal, ou número do documento de identidade',
      numberHint: 'Como foi informado na verificação anterior.',
      send: 'Confirmar dados',
    },
    wait: 'Estamos verificando seus dados',
    usual: (hours) =>
      hours === 1
        ? 'A maioria das verificações leva menos de 1 hora.'
        : `A maioria das verificações leva menos de ${hours} horas.`,
    waitMail: (email) =>
      prose`Avisamos em ${email} quando terminar, se esta página não mostrar antes.`,
    thenPrice: 'Depois você vê a cotação.',
    sentOn: (when) => prose`Enviado em ${when}.`,
    correct: (count) => (count === 1 ? 'Corrija um item' : `Corrija ${count} itens`),
    correctAll: 'Corrija os seus dados',
    correctNext: 'Depois que você enviar as correções, a verificação continua.',
    correctBy: {
      ahead: (when) => prose`Envie até ${when}.`,
      over: (when) => prose`O prazo era ${when}. Envie agora.`,
    },
    correctTodo: 'Corrija apenas o que está listado aqui. O resto fica como está.',
    correctStart: 'Corrigir agora',
    approved: 'Seus dados estão completos',
    approvedText: 'Nada mais é necessário. Você já pode fechar a página.',
    rejected: 'Não podemos aceitar os seus dados',
    rejectedText: (org) => `Pergunte a ${org} o que fazer.`,
    alone: 'Informe quem você é',
    closed: 'A verificação terminou.',
    noMoney: 'Este formulário não trata de um pagamento.',
  },
  stopChange: {
    stop: 'Impedir a alteração',
    held: {
      heading: 'Impedir a alteração do destino PIX?',
      text: 'Nada será pago ao novo. Aqui não dá para desfazer.',
    },
    stopped: {
      heading: 'A alteração foi impedida',
      text: 'Nada é pago ao novo destino PIX. Descubra quem o cadastrou.',
    },
    effective: {
      heading: 'Não é mais possível impedir esta alteração',
      text: 'Os novos pagamentos vão para o novo destino. Está errado? Ligue para a empresa.',
    },
    replaced: {
      heading: 'Uma alteração posterior substituiu esta',
      text: 'Também está errada? Abra o link no e-mail sobre a alteração posterior.',
    },
  },
  verify: {
    over: 'Mas o pagamento não aguarda mais dinheiro. Não envie nada para essa conta agora.',
    lede: 'Fomos nós que informamos estes dados? Compare antes de pagar.',
    page: 'Página do pagamento',
    pageHint: 'O endereço dela, ou o identificador curto ao lado do código de conferência.',
    value: 'Código de conferência ou número da conta',
    valueHint: 'Como na página ou no papel, por exemplo 7KQ4-M2XD.',
    check: 'Conferir',
    ours: (when) => prose`Estes são os dados que informamos em ${when}.`,
    never: (
      <>
        <b>Nunca informamos estes dados.</b> Não pague. Ligue para a empresa que você quer pagar, em
        um número que você já tem.
      </>
    ),
    incompletePage: 'Informe o endereço da página de pagamento ou o identificador curto.',
    incompleteValue: 'Informe o código de conferência ou o número da conta.',
  },
  problem: {
    not_found: {
      heading: 'Página não encontrada',
      text:
        'Confira o endereço, ou abra de novo o link do e‑mail. A empresa que pediu o pagamento ' +
        'pode enviar um novo.',
    },
    too_many: {
      heading: 'Muitas tentativas',
      text: 'Espere alguns minutos e tente de novo. Nada foi alterado.',
    },
    session_over: {
      heading: 'Sua sessão terminou',
      text: 'O que você salvou foi mantido. Abra a página de novo para receber um link de acesso.',
    },
    forbidden: {
      heading: 'Esta solicitação não foi aceita',
      text: 'Ela não veio desta página, por isso nada mudou. Tente de novo a partir daqui.',
    },
    out_of_order: {
      heading: 'Algo deu errado do nosso lado',
      text: 'Não sabemos se a sua última etapa valeu. A página mostra: abra-a de novo.',
    },
    open: 'Abrir a página',
  },
  notice: {
    out_of_date: (
      <>
        <b>Esta página estava desatualizada.</b> Nada foi alterado. Esta é a situação atual.
      </>
    ),
    signed_out: (
      <>
        <b>Sua sessão terminou.</b> Entre de novo e você volta à sua página.
      </>
    ),
    no_cookies: (
      <>
        <b>Seu navegador não nos enviou nenhum cookie.</b> Se ele bloqueia cookies, permita-os neste
        site: são necessários para entrar. Depois abra de novo o link do e-mail ou peça outro.
      </>
    ),
    unsaved: (
      <>
        <b>Sua sessão terminou antes do envio da última página.</b> O que você preencheu nela não
        foi salvo; tudo antes dela foi. Entre de novo e você volta a ela.
      </>
    ),
    code_wrong: 'Este código não está certo. Confira os seis dígitos e tente de novo.',
    code_expired: 'Este código não funciona mais. Envie outro link.',
    together_too_much:
      'Juntos, eles passam do que uma transferência pode ter. Escolha menos ou pague um por um.',
    choose_together:
      'Escolha dois ou mais pagamentos em aberto para o mesmo recebedor e na mesma moeda.',
    quote_unavailable: 'Não conseguimos uma cotação agora. Tente de novo em um instante.',
    take_back_asked: 'Vamos devolver o seu dinheiro. Você não precisa fazer mais nada.',
    question_sent: 'Sua pergunta está a caminho. A resposta chega por e‑mail.',
    facts_wrong:
      'Estes dados não coincidem com os que temos. Preencha o formulário, ou tente de ' +
      'novo se a página pedir.',
  },
  limited: {
    link_sent: (until, sentAt) => (
      <>
        <b>Um link foi enviado por e‑mail: {sentAt}.</b> Abra o e‑mail mais recente: o link também
        funciona neste navegador. Você pode pedir outro a partir de: {until}.
      </>
    ),
    mail_too_soon: (until) => (
      <>
        <b>Nenhum e‑mail foi enviado,</b> porque muitos foram pedidos. Peça outro após: {until}.
      </>
    ),
    code_too_often: (until) => (
      <>
        <b>Muitos códigos foram testados.</b> Abra o link do e‑mail, ou digite um código a partir
        de: {until}.
      </>
    ),
    tryAgain: (until) => prose`Nada foi alterado. Tente de novo a partir de: ${until}.`,
  },
  simulate: {
    heading: 'Simular (somente no modo de teste)',
    groups: {
      identity: 'Identidade',
      quote: 'Câmbio simulado',
      money: 'Dinheiro',
      payout: 'Pagamento final e devolução',
    },
    events: {
      identity_sent: 'Preencher e enviar dados fictícios',
      identity_approved: 'Aprovar',
      identity_rejected: 'Rejeitar',
      identity_documents_again: 'Pedir o passaporte de novo',
      identity_pending: 'Deixar esperando',
      quote_expired: 'Deixar expirar',
      rate_moved: 'Mudar o câmbio',
      rate_locked: 'Travar o câmbio',
      money_arrives: 'Chega',
      money_from_other: 'De outro nome',
      money_short: 'Falta 1,00',
      money_top_up: 'Chega o que falta',
      money_over: 'Chega a mais',
      money_twice: 'Chega duas vezes',
      money_unmatched: 'Chega sem referência',
      money_fails: 'Não chega',
      money_late: 'Chega depois do fim',
      payout_completes: 'O PIX é concluído',
      payout_fails: 'O PIX falha, sem retorno do dinheiro',
      payout_returns: 'O PIX volta',
      refund_completes: 'A devolução é concluída',
      refund_fails: 'A devolução falha',
    },
  },
} satisfies Catalogue;
