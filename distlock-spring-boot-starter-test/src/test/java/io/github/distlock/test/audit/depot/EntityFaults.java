package io.github.distlock.test.audit.depot;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.MappedSuperclass;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * The same faults with entities, which are written when a transaction ends.
 */
final class EntityFaults {

	private EntityFaults() {
	}

	@Entity(name = "account")
	static class Account {

		@Id
		private int id;

		private int balance;

		void add(int amount) {
			this.balance += amount;
		}

	}

	@MappedSuperclass
	abstract static class Counted {

		@Id
		private int id;

		private int state;

		void next() {
			this.state++;
		}

	}

	@Entity(name = "ticket")
	static class Ticket extends Counted {

	}

	@Entity(name = "parcel")
	static class Parcel extends Counted {

	}

	@Service
	static class Accounts {

		private final EntityManager entities;

		Accounts(EntityManager entities) {
			this.entities = entities;
		}

		@DistributedLock("'account-' + #id")
		@Transactional
		public void deposit(int id) {
			this.entities.find(Account.class, id).add(5);
		}

		/** The fault: no lock. */
		@Transactional
		public void charge(int id) {
			this.entities.find(Account.class, id).add(-1);
		}

	}

	@Service
	static class Tickets {

		private final EntityManager entities;

		private final LockRegistry locks;

		Tickets(EntityManager entities, LockRegistry locks) {
			this.entities = entities;
			this.locks = locks;
		}

		@DistributedLock("'ticket-' + #id")
		public void next(int id) {
			this.entities.find(Ticket.class, id).next();
		}

		/** The fault: the entity is written after the release. */
		@Transactional
		public void nextByHand(int id) {
			try (HeldLock lock = this.locks.acquire(LockRequest.of("parcel-" + id))) {
				this.entities.find(Parcel.class, id).next();
			}
		}

	}

	@Service
	static class Desk {

		private final EntityManager entities;

		private final Tickets tickets;

		Desk(EntityManager entities, Tickets tickets) {
			this.entities = entities;
			this.tickets = tickets;
		}

		/** The fault: loads the entity before the lock. */
		@Transactional
		public void serve(int id) {
			this.entities.find(Ticket.class, id);
			this.tickets.next(id);
		}

	}

}
