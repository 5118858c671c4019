// Refuses forged webhooks before Medusa's hook route, which answers 200 before it verifies. In
// src/api/middlewares.ts of your project: `defineMiddlewares({ routes: [verified] })`.
import { constructEvent } from 'ponte-payments/webhooks';

interface HookRequest {
  readonly rawBody?: string | Buffer;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}
interface HookResponse {
  status(code: number): { send(text: string): void };
}

export const verified = {
  matcher: '/hooks/payment/ponte_ponte',
  methods: ['POST' as const],
  middlewares: [
    ({ rawBody: body = '', headers }: HookRequest, response: HookResponse, next: () => void) => {
      const { PONTE_WEBHOOK_SECRET: secret = '' } = process.env;
      try {
        constructEvent({ secret, header: headers['x-service-signature'], body });
      } catch (error) {
        response.status(401).send(error instanceof Error ? error.message : '');
        return;
      }
      next();
    },
  ],
};
