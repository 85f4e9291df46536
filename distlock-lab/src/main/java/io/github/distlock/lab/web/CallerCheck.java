package io.github.distlock.lab.web;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;

/**
 * Refuses requests that a web page of another site may have sent, before any other code
 * sees them. Import this class into an application. {@code sample.allowed-hosts} names
 * further hosts.
 */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(WebProperties.class)
public class CallerCheck {

	@Bean
	FilterRegistrationBean<CallerFilter> callerFilter(WebProperties properties) {
		FilterRegistrationBean<CallerFilter> registration = new FilterRegistrationBean<>(
				new CallerFilter(new AllowedHosts(properties.allowedHosts())));
		registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
		return registration;
	}

}
