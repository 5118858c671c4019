// `npm run blindpay`: the simulated BlindPay at port 8090, to try out what
// adapters/docs/blindpay.md says of a development instance. It stores nothing.
import { apiKey, instanceId } from './blindpay-server.js';
import { startBlindPayService } from './blindpay-service.js';

const { url } = await startBlindPayService({ port: 8_090, pace: 0.1 });
process.stdout.write(`BlindPay is simulated at ${url}, ten times as fast.
  instance ${instanceId}
  key      ${apiKey}
`);
