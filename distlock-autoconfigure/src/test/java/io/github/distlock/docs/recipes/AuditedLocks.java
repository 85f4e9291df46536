package io.github.distlock.docs.recipes;

import java.util.function.Consumer;

import io.github.distlock.LockRegistry;

import org.springframework.aop.MethodBeforeAdvice;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

@Configuration(proxyBeanMethods = false)
class AuditedLocks {

	@Bean
	@Primary
	LockRegistry auditedRegistry(@Qualifier("redis") LockRegistry redis, Consumer<Object> audit) {
		ProxyFactory proxy = new ProxyFactory(redis);
		proxy.addAdvice((MethodBeforeAdvice) (method, arguments, target) -> audit.accept(arguments[0]));
		return (LockRegistry) proxy.getProxy();
	}

}
