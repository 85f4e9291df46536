package io.github.distlock.test.audit.depot;

import java.util.List;
import java.util.concurrent.locks.Lock;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockRegistry;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Locks that are acquired in several orders.
 */
final class OrderFaults {

	private OrderFaults() {
	}

	@Service
	static class Trucks {

		@DistributedLock("'truck-' + #truck")
		public void run(int truck, Runnable work) {
			work.run();
		}

	}

	@Service
	static class Docks {

		@DistributedLock("'dock-' + #dock")
		public void run(int dock, Runnable work) {
			work.run();
		}

	}

	@Service
	static class Loading {

		private final Trucks trucks;

		private final Docks docks;

		Loading(Trucks trucks, Docks docks) {
			this.trucks = trucks;
			this.docks = docks;
		}

		void load() {
			this.trucks.run(1, () -> this.docks.run(2, () -> {
			}));
		}

		/** The fault: the other order. */
		void unload() {
			this.docks.run(2, () -> this.trucks.run(1, () -> {
			}));
		}

		/** The fault: two trucks, in the order of the caller. */
		void reload(int from, int to) {
			this.trucks.run(from, () -> this.trucks.run(to, () -> {
			}));
		}

	}

	@Service
	static class Pallet {

		private final JdbcClient jdbc;

		Pallet(JdbcClient jdbc) {
			this.jdbc = jdbc;
		}

		@DistributedLock("'pallet-' + #id")
		public void clear(int id) {
			this.jdbc.sql("DELETE FROM pallet WHERE id = ?").param(id).update();
		}

	}

	@Service
	static class Pallets {

		private final Pallet pallet;

		Pallets(Pallet pallet) {
			this.pallet = pallet;
		}

		/** The fault: keeps the locks in the order of the caller. */
		@Transactional
		public void clear(List<Integer> ids) {
			ids.forEach(this.pallet::clear);
		}

	}

	/** The fault: each pair has an order, and together they have none. */
	@Service
	static class Colours {

		private final LockRegistry locks;

		Colours(LockRegistry locks) {
			this.locks = locks;
		}

		void mix() {
			nest("red", "green");
			nest("green", "blue");
			nest("blue", "red");
		}

		private void nest(String outer, String inner) {
			Lock first = this.locks.obtain(outer);
			Lock second = this.locks.obtain(inner);
			first.lock();
			second.lock();
			second.unlock();
			first.unlock();
		}

	}

}
