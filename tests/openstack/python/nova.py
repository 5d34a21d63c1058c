"""Nova's own fake driver, except that its node stays the same after a restart, and that Nova's own code writes what a guest
would find on its config drive (user data, metadata, network data) to state/nova/guests/UUID, on any host."""

import os
import shutil

import nova.conf
import nova.virt.node
from nova.api.metadata import base
from nova.virt import fake

CONF = nova.conf.CONF


class Driver(fake.FakeDriver):
    def get_nodenames_by_uuid(self, refresh=False):
        return {nova.virt.node.get_local_node_uuid(): self.get_available_nodes()[0]}

    def get_available_resource(self, nodename):
        return super().get_available_resource(nodename) | {"uuid": nova.virt.node.get_local_node_uuid()}

    def spawn(self, context, instance, image_meta, injected_files, admin_password, allocations, network_info=None,
              *args, **kwargs):
        guest = self.guest(instance)
        metadata = base.InstanceMetadata(instance, content=injected_files, extra_md={}, network_info=network_info)
        for path, data in metadata.metadata_for_config_drive():
            file = os.path.join(guest + ".new", path)
            os.makedirs(os.path.dirname(file), exist_ok=True)
            with open(file, "wb") as it:
                it.write(data if isinstance(data, bytes) else data.encode())
        shutil.rmtree(guest, ignore_errors=True)
        os.rename(guest + ".new", guest)
        return super().spawn(context, instance, image_meta, injected_files, admin_password, allocations, network_info,
                             *args, **kwargs)

    def destroy(self, context, instance, *args, **kwargs):
        shutil.rmtree(self.guest(instance), ignore_errors=True)
        return super().destroy(context, instance, *args, **kwargs)

    def detach_interface(self, context, instance, vif):
        # The fake driver does not know the interfaces of a server that was migrated to it.
        self._interfaces.setdefault(vif["id"], vif)
        return super().detach_interface(context, instance, vif)

    def guest(self, instance):
        return os.path.join(os.path.dirname(CONF.state_path), "nova", "guests", instance.uuid)
