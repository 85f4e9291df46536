package io.github.distlock.test.audit.depot;

import io.github.distlock.DistributedLock;

import org.springframework.beans.factory.ObjectProvider;

/**
 * Classes that call their own locked method, for {@code LockRulesTests}.
 */
final class Recount {

	private Recount() {
	}

	static class PastTheProxy {

		@DistributedLock("'count'")
		public void count() {
		}

		@DistributedLock("'one'")
		@DistributedLock("'two'")
		public void both() {
		}

		void all() {
			count();
			both();
		}

		void later(Runnable other) {
			other.run();
			Runnable later = () -> count();
			later.run();
		}

	}

	static class ThroughTheProxy {

		private final ObjectProvider<ThroughTheProxy> self;

		ThroughTheProxy(ObjectProvider<ThroughTheProxy> self) {
			this.self = self;
		}

		@DistributedLock("'count'")
		public void count() {
		}

		void all() {
			this.self.getObject().count();
		}

	}

	static class OfAnotherBean {

		void all(PastTheProxy other) {
			other.count();
		}

	}

}
