package io.github.distlock.transaction;

import jakarta.persistence.EntityManager;
import org.hibernate.FlushMode;
import org.hibernate.Session;

import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * The persistence contexts of this thread, such as the one that a transaction manager
 * commits itself. Loaded only where spring-orm is.
 */
final class PersistenceContexts {

	private static final boolean HIBERNATE = ClassUtils.isPresent("org.hibernate.Session",
			PersistenceContexts.class.getClassLoader());

	private PersistenceContexts() {
	}

	/** Return whether any persistence context is bound to this thread. */
	static boolean isBound() {
		return TransactionSynchronizationManager.getResourceMap()
			.values()
			.stream()
			.anyMatch(EntityManagerHolder.class::isInstance);
	}

	/**
	 * Return whether the manager has a persistence context on this thread that is flushed
	 * when it commits.
	 */
	static boolean sendsAtCommit(ResourceTransactionManager owner) {
		return TransactionSynchronizationManager
			.getResource(owner.getResourceFactory()) instanceof EntityManagerHolder holder
				&& !(HIBERNATE && ManualFlush.isWanted(holder.getEntityManager()));
	}

	/**
	 * Sessions of Hibernate that send nothing unless they are told to, not even at the
	 * commit. Loaded only where Hibernate is.
	 */
	private static final class ManualFlush {

		private ManualFlush() {
		}

		/**
		 * Return whether a persistence context is a session that is flushed by hand.
		 */
		private static boolean isWanted(EntityManager entities) {
			return entities instanceof Session session && session.getHibernateFlushMode() == FlushMode.MANUAL;
		}

	}

}
