// Loaded before a host: its DNS resolvers ask the name server at TEST_NAME_SERVER.
import { Resolver } from 'node:dns/promises';

const asked = new WeakSet<Resolver>();
for (const method of ['resolve4', 'resolve6'] as const) {
  const original: (this: Resolver, hostname: string) => Promise<string[]> =
    Resolver.prototype[method];
  Object.assign(Resolver.prototype, {
    [method](this: Resolver, hostname: string) {
      // Servers cannot be set while a question is open.
      if (!asked.has(this)) this.setServers([process.env['TEST_NAME_SERVER'] ?? '']);
      asked.add(this);
      return original.call(this, hostname);
    },
  });
}
