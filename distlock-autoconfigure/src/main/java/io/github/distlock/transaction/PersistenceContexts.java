package io.github.distlock.transaction;

import jakarta.persistence.EntityManager;
import org.hibernate.FlushMode;
import org.hibernate.Session;

import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * Finds the JPA persistence contexts of the current thread. Loaded only if spring-orm is
 * on the class path.
 */
final class PersistenceContexts {

	private static final boolean HIBERNATE = ClassUtils.isPresent("org.hibernate.Session",
			PersistenceContexts.class.getClassLoader());

	private PersistenceContexts() {
	}

	/** Return whether a persistence context is bound here that is not a transaction's. */
	static boolean isOpenWithoutTransaction() {
		for (Object resource : TransactionSynchronizationManager.getResourceMap().values()) {
			if (resource instanceof EntityManagerHolder holder && !holder.isSynchronizedWithTransaction()) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Return whether the transaction manager has a persistence context on this thread
	 * that is flushed at the commit.
	 */
	static boolean isFlushedAtCommit(ResourceTransactionManager owner) {
		return TransactionSynchronizationManager
			.getResource(owner.getResourceFactory()) instanceof EntityManagerHolder holder
				&& !(HIBERNATE && HibernateSessions.isFlushedManually(holder.getEntityManager()));
	}

	/**
	 * Knows the flush mode of Hibernate sessions. Loaded only if Hibernate is on the
	 * class path.
	 */
	private static final class HibernateSessions {

		private HibernateSessions() {
		}

		/**
		 * Return whether a persistence context is a session in manual flush mode: it
		 * sends nothing unless the application flushes it, not even at the commit.
		 */
		private static boolean isFlushedManually(EntityManager entities) {
			return entities instanceof Session session && session.getHibernateFlushMode() == FlushMode.MANUAL;
		}

	}

}
