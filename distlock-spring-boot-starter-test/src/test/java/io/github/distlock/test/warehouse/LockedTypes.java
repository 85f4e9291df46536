package io.github.distlock.test.warehouse;

import io.github.distlock.DistributedLock;

/**
 * Super types of the components.
 */
final class LockedTypes {

	private LockedTypes() {
	}

	abstract static class AbstractPicking {

		@DistributedLock("'picking'")
		public void pick() {
		}

	}

	abstract static class MorePicking extends AbstractPicking {

	}

	interface PackingApi {

		@DistributedLock("'packing'")
		void pack();

	}

	interface MorePackingApi extends PackingApi {

	}

	@DistributedLock("'counting'")
	static class LockedClass {

		public void count() {
		}

	}

}
