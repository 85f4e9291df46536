package io.github.distlock.aot;

import java.util.List;

import io.github.distlock.DistributedLock;

/**
 * An interface whose methods are locked.
 */
@DistributedLock(key = "'of-interface'")
interface InterfaceLocked {

	@DistributedLock("'interface-' + #order.customer.name")
	List<String> work(KeyWork.Order order);

	List<String> other(String id);

}
