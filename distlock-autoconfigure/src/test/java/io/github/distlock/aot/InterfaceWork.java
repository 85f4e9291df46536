package io.github.distlock.aot;

import java.util.List;

/**
 * A bean behind a proxy of the JDK.
 */
class InterfaceWork implements InterfaceLocked {

	@Override
	public List<String> work(KeyWork.Order order) {
		return StoreWork.keys();
	}

	@Override
	public List<String> other(String id) {
		return StoreWork.keys();
	}

}
