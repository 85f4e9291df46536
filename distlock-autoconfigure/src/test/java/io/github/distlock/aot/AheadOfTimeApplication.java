package io.github.distlock.aot;

import java.time.LocalDate;
import java.time.Month;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.distlock.LockFailureHandler;
import io.github.distlock.LockListener;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.annotation.RegisterReflection;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisRepositoriesAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableAsync;

/**
 * An application with Spring Boot's auto-configuration, all stores, and a locked method
 * of every kind. Registers the types of its keys itself.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration(exclude = { HibernateJpaAutoConfiguration.class, DataJpaRepositoriesAutoConfiguration.class,
		DataRedisRepositoriesAutoConfiguration.class })
@EnableAsync
@RegisterReflection(
		classes = { LockedWork.Order.class, LockedWork.Customer.class, LockedWork.OrderId.class, LockedWork.Shelf.class,
				LockedWork.Tenants.class, LockedWork.Tenants.Owner.class, String.class, LocalDate.class, Month.class,
				List.class },
		memberCategories = { MemberCategory.INVOKE_PUBLIC_METHODS, MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS,
				MemberCategory.ACCESS_PUBLIC_FIELDS })
@Import({ LockedWork.class, FailureWork.class, ClassWork.class, LockedWork.InterfaceWork.class,
		LockedWork.Tenants.class })
class AheadOfTimeApplication {

	static final List<String> released = new CopyOnWriteArrayList<>();

	@Bean(initMethod = "start", destroyMethod = "close")
	CuratorFramework curator(@Value("${zookeeper}") String connectString) {
		return CuratorFrameworkFactory.newClient(connectString, new RetryNTimes(3, 100));
	}

	@Bean
	LockListener releases() {
		return new LockListener() {

			@Override
			public void onReleased(Released event) {
				released.add(event.key());
			}

		};
	}

	@Bean
	LockFailureHandler handler() {
		return (failure) -> "handled " + failure.keys();
	}

}
