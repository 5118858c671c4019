// What Medusa loads: the provider, for its payment module.
import { ModuleProvider, Modules } from '@medusajs/framework/utils';
import { PonteProvider } from './provider';

// biome-ignore lint/style/noDefaultExport: Medusa loads it.
export default ModuleProvider(Modules.PAYMENT, { services: [PonteProvider] });
